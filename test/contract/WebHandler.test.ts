import * as HttpContract from "@countersign/testing/HttpContract"
import * as ContractSubject from "../support/ContractSubject.ts"

HttpContract.suite("a fetch handler", ContractSubject.layer("memory", "http"))
