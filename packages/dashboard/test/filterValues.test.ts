import { assert, it } from "vitest"
import { isFiltered, valuesIn, withValues } from "../app/ui/filterValues.ts"
import { maxViews, readViews } from "../app/ui/views.ts"

const names = ["statuses", "phoneNumber"]

it("reads several values of a filter, and begins with the first page when one changes", () => {
  const search = new URLSearchParams("statuses=failed&statuses=pending&tab=log&cursor=9&trail=12")
  assert.deepStrictEqual(valuesIn(search, names), {
    statuses: ["failed", "pending"],
    phoneNumber: [],
  })
  const changed = withValues(search, {
    statuses: ["pending"],
    phoneNumber: ["+8801712345678", " "],
  })
  assert.strictEqual(String(changed), "tab=log&statuses=pending&phoneNumber=%2B8801712345678")
  assert.isTrue(isFiltered(valuesIn(changed, names)))
  const none = withValues(changed, { statuses: [], phoneNumber: [""] })
  assert.strictEqual(String(none), "tab=log")
  assert.isFalse(isFiltered(valuesIn(none, names)))
})

it("reads the views that it has stored, and nothing else", () => {
  const view = { name: "Failed", values: { statuses: ["failed"] } }
  assert.deepStrictEqual(readViews(JSON.stringify([view])), [view])
  assert.lengthOf(readViews(JSON.stringify(Array.from({ length: 9 }, () => view))), maxViews)
  for (const stored of [
    undefined,
    "",
    "{",
    "null",
    `"text"`,
    `[{"name":1}]`,
    `[{"name":"a","values":{"b":1}}]`,
  ])
    assert.deepStrictEqual(readViews(stored), [], stored)
})
