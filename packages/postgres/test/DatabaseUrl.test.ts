import { assert, describe, it } from "vitest"
import { problemOf } from "../src/DatabaseUrl.ts"

describe("an address of PostgreSQL", () => {
  it.each([
    "postgres://user:password@host:5432/database",
    "postgresql://localhost/app?sslmode=require",
    "postgres://127.0.0.1/?host=/run/postgresql&dbname=app",
    "postgres:///app",
  ])("is accepted: %s", (address) => {
    assert.isUndefined(problemOf(address))
  })

  it.each([
    "",
    "  ",
    "app",
    "mysql://h/app",
    "postgres://h",
    "postgres://h/",
    "postgres://h?dbname=",
  ])("is refused: %j", (address) => {
    assert.match(problemOf(address) ?? "", /^(?:is|must|names) /)
  })
})
