import { assert, it } from "vitest"
import { groupsOf, type Hit, pathOf } from "../app/pages/search/hits.ts"
import { searchPath, searchText } from "../app/shell/searchText.ts"

it.each([
  ["01712-345678", "+8801712345678"],
  [" ০১৭১২ ৩৪৫৬৭৮ ", "+8801712345678"],
  ["vrf_12", "vrf_12"],
  ["csk_live_0123456789abcDEF", "csk_live_0123456789abcDEF"],
  [`csk_test_0123456789abcDEF_${"s".repeat(43)}_123456`, "csk_test_0123456789abcDEF"],
  [" INV-9 ", "INV-9"],
])("looks for %j as %j, never with the secret of a key", (typed, text) => {
  assert.strictEqual(searchText(typed), text)
})

it("searches the organization of the page, else all", () => {
  assert.strictEqual(searchPath("/org/acme/messages", "a b"), "/org/acme/search?query=a+b")
  assert.strictEqual(searchPath("/gateways", "acme"), "/search?query=acme")
})

it("leads from each hit to its page, by kind", () => {
  const hit = (kind: Hit["kind"], id: string): Hit => ({
    kind,
    id,
    label: "",
    status: null,
    at: null,
  })
  const hits = [hit("verification", "v/1"), hit("message", "m"), hit("verification", "v2")]
  assert.deepStrictEqual(
    groupsOf(hits).map(({ hits: own, kind }) => [kind, own.map(pathOf)]),
    [
      ["verification", ["verifications/v%2F1", "verifications/v2"]],
      ["message", ["messages/m"]],
    ],
  )
  assert.deepStrictEqual(
    [hit("webhook", "w"), hit("api_key", "k"), hit("payment", "p")].map(pathOf),
    ["webhooks/w", "api-keys", "balance"],
  )
})
