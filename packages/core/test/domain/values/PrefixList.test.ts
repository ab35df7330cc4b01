import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import * as PhoneNumber from "../../../src/domain/values/PhoneNumber.ts"
import * as Prefixes from "../../../src/domain/values/PrefixList.ts"

const phoneNumber = PhoneNumber.fromE164("+8801712345678")

const verdictOf = (lists: Omit<Prefixes.Prefixes, "prefixReasons">): string => {
  if (Prefixes.isBlocked(lists, phoneNumber)) return "blocked"
  return Prefixes.isExempt(lists, phoneNumber) ? "exempt" : "neither"
}

describe("the prefixes of a number", () => {
  const table: ReadonlyArray<readonly [blocked: string, allowed: string, verdict: string]> = [
    ["", "", "neither"],
    ["880", "", "blocked"],
    ["8801712345678", "", "blocked"],
    ["88017123456789", "", "neither"],
    ["80", "", "neither"],
    ["", "880", "exempt"],
    ["", "1", "neither"],
    ["880", "88017", "exempt"],
    ["88017", "880", "blocked"],
    ["88017", "88017", "blocked"],
    ["1,880,88017,44", "8801,8801712345678,2", "exempt"],
    ["1,88017123456,44", "8801,88018123456789,2", "blocked"],
  ]
  it.each(table)("with %j blocked and %j allowed: %s", (blocked, allowed, verdict) => {
    const listOf = (text: string) => (text === "" ? [] : text.split(","))
    const lists = { blockedPrefixes: listOf(blocked), allowedPrefixes: listOf(allowed) }
    assert.strictEqual(verdictOf(lists), verdict)
  })

  const prefix = fc.constantFrom("8", "88", "880", "8801", "88017", "8801712345678", "44", "1")
  const list = fc.uniqueArray(prefix)

  it("is decided by the longest of both lists, in any order", () => {
    fc.assert(
      fc.property(list, list, (blockedPrefixes, allowedPrefixes) => {
        const longest = [...blockedPrefixes, ...allowedPrefixes]
          .filter((one) => phoneNumber.slice(1).startsWith(one))
          .toSorted((a, b) => b.length - a.length)[0]
        const expected = blockedPrefixes.some((one) => one === longest) ? "blocked" : "exempt"
        assert.strictEqual(
          verdictOf({ blockedPrefixes, allowedPrefixes }),
          longest === undefined ? "neither" : expected,
        )
        assert.strictEqual(
          verdictOf({ blockedPrefixes, allowedPrefixes }),
          verdictOf({
            blockedPrefixes: blockedPrefixes.toReversed(),
            allowedPrefixes: allowedPrefixes.toReversed(),
          }),
        )
      }),
    )
  })

  it.each(["", "+880", "088", "88 0", "8".repeat(16), "৮৮০"])("cannot be %j", (entry) => {
    assert.deepStrictEqual(Prefixes.problems(["880", entry]), [
      FieldProblem.make("not_prefix", { entry }),
    ])
  })

  it("are 200 in a list at most", () => {
    const list = Array.from({ length: 201 }, () => "8".repeat(15))
    assert.deepStrictEqual(Prefixes.problems(list.slice(1)), [])
    assert.deepStrictEqual(Prefixes.problems(list), [FieldProblem.make("too_many", { max: 200 })])
  })
})
