import { assert, it } from "vitest"
import { valuesText } from "../app/pages/audit/valuesText.ts"

it("shows the times of an audit entry as times, and other numbers as they are", () => {
  const values = {
    revokedAt: 1_700_000_000_000,
    lastUsedAt: null,
    balanceLowAt: "5.00",
    position: 1_700_000_000_000,
    secrets: [{ pepper: "p", until: 0 }],
  }
  assert.deepStrictEqual(JSON.parse(valuesText(values, (iso) => `at ${iso}`)), {
    ...values,
    revokedAt: "at 2023-11-14T22:13:20.000Z",
    secrets: [{ pepper: "p", until: "at 1970-01-01T00:00:00.000Z" }],
  })
})

it("shows a number that no time has as it is", () => {
  assert.deepStrictEqual(JSON.parse(valuesText({ endsAt: 9e15 }, String)), { endsAt: 9e15 })
})
