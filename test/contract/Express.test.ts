import * as HttpContract from "@countersign/testing/HttpContract"
import * as ContractSubject from "../support/ContractSubject.ts"

HttpContract.suite("express", ContractSubject.layer("memory", "express"))
