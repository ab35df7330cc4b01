import { assert, describe, it } from "vitest"
import * as Result from "effect/Result"
import { account } from "../../src/api/account.ts"
import { audit } from "../../src/api/audit.ts"
import { fraud } from "../../src/api/fraud.ts"
import * as Listing from "../../src/api/Listing.ts"
import type { Listing as List, Operation } from "../../src/api/Operation.ts"
import { organizations } from "../../src/api/organizations.ts"
import { webhooks } from "../../src/api/webhooks.ts"

const names = (operation: Operation & { readonly listing: List }): ReadonlyArray<string> =>
  Object.keys(Listing.inputOf(operation, operation.listing).fields)

describe("the input of a list", () => {
  it("has a cursor and a limit, and keeps a position only if hosts store it", () => {
    assert.deepStrictEqual(names(organizations.list), [
      "search",
      "hasPendingSenders",
      "order",
      "cursor",
      "limit",
    ])
    assert.deepStrictEqual(names(webhooks.list), ["organization", "cursor", "limit"])
    assert.deepStrictEqual(names(account.entries), ["organization", "after", "cursor", "limit"])
    assert.notInclude(names(audit.list), "before")
  })

  it.each([
    [organizations.list, { cursor: "acme", limit: 5 }, { after: "acme", limit: 5 }],
    [account.entries, { after: 3 }, { after: 3 }],
    [account.entries, { after: 3, cursor: "c5" }, { after: 5 }],
    [audit.list, { cursor: "c5" }, { before: 5 }],
    [fraud.findings, { cursor: "c5", limit: 5 }, { limit: 1_000 }],
  ])("becomes that of the operation", (operation, fields, expected) => {
    assert.deepStrictEqual<unknown>(
      Listing.performing(operation, operation.listing, fields),
      Result.succeed(expected),
    )
  })

  it.each([
    [organizations.list, "no id"],
    [account.entries, "5"],
    [audit.list, "c0"],
    [webhooks.list, "c-1"],
  ])("is refused with a cursor of another list", (operation, cursor) => {
    assert.isTrue(Result.isFailure(Listing.performing(operation, operation.listing, { cursor })))
  })
})

describe("the page of a list", () => {
  it("is cut from a list that is read as a whole", () => {
    const all = Array.from({ length: 5 }, (_, id) => ({ id }))
    const found: Array<unknown> = []
    let cursor: string | null | undefined
    for (; cursor !== null;) {
      const page = Listing.pageOf({}, all, { cursor, limit: 2 })
      found.push(...page.items)
      cursor = page.next
    }
    assert.deepStrictEqual<unknown>(found, all)
  })

  it("ends before a full limit, and otherwise names its last item", () => {
    const list = { from: "after", by: "sequence" } as const
    const items = [{ sequence: 6 }, { sequence: 7 }]
    assert.deepStrictEqual(Listing.pageOf(list, items, { limit: 2 }), { items, next: "c7" })
    assert.deepStrictEqual(Listing.pageOf(list, items, { limit: 3 }), { items, next: null })
    assert.deepStrictEqual(Listing.pageOf(list, [], {}), { items: [], next: null })
  })

  it("keeps the members that only this list has", () => {
    const list = { items: "entries", from: "before", by: "sequence" } as const
    const output = { entries: [1], first: 1, last: 9, next: 8 }
    assert.deepStrictEqual<unknown>(Listing.pageOf(list, output, {}), {
      items: [1],
      next: "c8",
      first: 1,
      last: 9,
    })
  })
})
