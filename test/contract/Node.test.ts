import * as HttpContract from "@countersign/testing/HttpContract"
import * as ContractSubject from "../support/ContractSubject.ts"

HttpContract.suite("node", ContractSubject.layer("memory", "node"))
