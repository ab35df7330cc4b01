import { assert, describe, it } from "vitest"
import { hosts } from "./support/host.ts"
import { phone } from "./support/values.ts"

const { host } = hosts()

const day = 86_400_000

const period = () => ({ from: new Date(Date.now() - day), to: new Date(Date.now() + day) })

describe("refusals", () => {
  it("tell why a number got no code, and are counted", async () => {
    const { engine } = await host({ prices: { sms: "0.50" } })
    const phoneNumber = phone()
    const send = () => engine.verifications.send({ phoneNumber }).catch(({ code }) => code)
    assert.strictEqual(await send(), "insufficient_balance")
    await engine.organizations.update({ id: "default", blockedPrefixes: ["880"] })
    assert.strictEqual(await send(), "invalid_request")
    const { items: refusals, next } = await engine.refusals.list({ phoneNumber })
    assert.isNull(next)
    assert.deepStrictEqual(
      refusals.map(({ at: _, phoneNumber: masked, ...refusal }) => {
        assert.match(masked ?? "", /^\+8801\*{5}\d{3}$/)
        return refusal
      }),
      [
        {
          sequence: 2,
          operation: "verify",
          code: "invalid_request",
          reason: "prefix_blocked",
          parameters: { field: "phoneNumber" },
          channel: "sms",
          country: "BD",
          requestId: null,
          apiKeyId: null,
          actor: "host",
        },
        {
          sequence: 1,
          operation: "verify",
          code: "insufficient_balance",
          reason: null,
          parameters: { required: "0.50", available: "0.00" },
          channel: "sms",
          country: "BD",
          requestId: null,
          apiKeyId: null,
          actor: "host",
        },
      ],
    )
    const totals = await engine.totals.read({ ...period(), kinds: ["refusals"] })
    assert.deepStrictEqual(
      totals.map(({ channel, count, country, outcome }) => [channel, country, outcome, count]),
      [
        ["sms", "BD", "insufficient_balance", 1],
        ["sms", "BD", "invalid_request:prefix_blocked", 1],
      ],
    )
    const filtered = { codes: ["invalid_request"] as const, ...period(), limit: 1 }
    assert.deepStrictEqual((await engine.refusals.list(filtered)).items, refusals.slice(0, 1))
    const first = await engine.refusals.list({ limit: 1 })
    const rest = await engine.refusals.list({ limit: 1, cursor: first.next ?? "" })
    assert.deepStrictEqual(rest.items, refusals.slice(1))
    await engine.dispose()
  })
})
