import * as HttpContract from "@countersign/testing/HttpContract"
import * as ContractSubject from "../support/ContractSubject.ts"

HttpContract.suite("postgres", ContractSubject.layer("postgres"), { timeoutMillis: 120_000 })
