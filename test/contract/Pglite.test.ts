import * as HttpContract from "@countersign/testing/HttpContract"
import * as ContractSubject from "../support/ContractSubject.ts"

HttpContract.suite("pglite", ContractSubject.layer("pglite"), { timeoutMillis: 120_000 })
