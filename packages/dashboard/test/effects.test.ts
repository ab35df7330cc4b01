import { assert, it } from "vitest"
import { effectOf } from "../app/pages/balance/effects.ts"
import { sum } from "../app/ui/decimal.ts"

it("shows rows that lead from the opening balances to the closing ones", () => {
  const opening = { balance: "10.00", held: "0.50" }
  const rows = [
    effectOf("top-up", "20.00"),
    effectOf("adjustment", "-1.25"),
    effectOf("hold", "3.50"),
    effectOf("capture", "2.00"),
    effectOf("release", "1.75"),
  ]
  const lines = [opening, ...rows]
  assert.strictEqual(sum(lines.map(({ balance }) => balance)), "27.00")
  assert.strictEqual(sum(lines.map(({ held }) => held)), "0.25")
})

it("keeps the digits of an amount, and gives none a sign", () => {
  assert.deepStrictEqual(effectOf("hold", "0.3500"), { balance: "-0.3500", held: "0.3500" })
  assert.deepStrictEqual(effectOf("release", "0.00"), { balance: "0.00", held: "0.00" })
})
