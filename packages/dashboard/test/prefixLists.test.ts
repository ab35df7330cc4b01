import { assert, it } from "vitest"
import { listed, withoutPrefix, withPrefix } from "../app/pages/fraud/lists.ts"

const lists = {
  blockedPrefixes: ["88017", "1"],
  allowedPrefixes: ["880"],
  prefixReasons: { "88017": "Never verified" },
  changes: [
    { setting: "blockedPrefixes.88017", changedAt: "2026-11-27T20:00:00Z", changedBy: "amir" },
  ],
}

it("lists each prefix with its reason, and who has set it", () => {
  const unknown = { reason: undefined, changedAt: undefined, changedBy: undefined }
  assert.deepStrictEqual(listed(lists), [
    { prefix: "1", list: "blockedPrefixes", ...unknown },
    { prefix: "880", list: "allowedPrefixes", ...unknown },
    {
      prefix: "88017",
      list: "blockedPrefixes",
      reason: "Never verified",
      changedAt: "2026-11-27T20:00:00Z",
      changedBy: "amir",
    },
  ])
})

it("adds a prefix once, with its reason and those of others", () => {
  assert.deepStrictEqual(withPrefix(lists, "blockedPrefixes", "1", "Fraud"), {
    blockedPrefixes: ["88017", "1"],
    prefixReasons: { "88017": "Never verified", "1": "Fraud" },
  })
  assert.deepStrictEqual(withPrefix(lists, "blockedPrefixes", "88017", ""), {
    blockedPrefixes: ["88017", "1"],
    prefixReasons: {},
  })
})

it("lifts a prefix from its own list only", () => {
  const lifted = withoutPrefix(lists, { list: "allowedPrefixes", prefix: "880" })
  assert.deepStrictEqual(lifted, { allowedPrefixes: [] })
})
