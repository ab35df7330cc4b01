import { assert, describe, it } from "@effect/vitest"
import * as ApiKeyScope from "../../../src/domain/access/ApiKeyScope.ts"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import { untyped } from "../../support/untyped.ts"

const unknown = FieldProblem.make("unknown_option", { options: ApiKeyScope.scopes })

const lists: ReadonlyArray<readonly [unknown, ReturnType<typeof ApiKeyScope.read>]> = [
  [["verify:check"], ["verify:check"]],
  [
    ["verify:send", "messages:send", "verify:send"],
    ["messages:send", "verify:send"],
  ],
  [ApiKeyScope.scopes, ApiKeyScope.scopes],
  [[], FieldProblem.make("empty", {})],
  [["verify"], unknown],
  [["verify:check", "Verify:send"], unknown],
  [["verify:check", null], unknown],
  ["verify:check", FieldProblem.make("not_string_list", {})],
]

describe("ApiKeyScope.read", () => {
  it.each(lists)("reads %o as %o", (values, read) => {
    assert.deepStrictEqual(ApiKeyScope.read(untyped(values)), read)
  })
})
