import { assert, describe, it } from "vitest"
import { eventOf } from "../../src/api/events.ts"

describe("an event in plain values", () => {
  it("describes the health of a gateway without an organization", () => {
    const event = { _tag: "GatewayHealthChanged", gateway: "a", state: "barred", at: 1 } as const
    assert.deepStrictEqual(eventOf(event), {
      type: "gateway_health_changed",
      gateway: "a",
      state: "barred",
      at: new Date(1),
    })
  })
})
