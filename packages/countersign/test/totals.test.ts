import { assert, describe, it } from "vitest"
import { hosts } from "./support/host.ts"
import { phone } from "./support/values.ts"

const { host } = hosts()

const day = 86_400_000

const period = () => ({ from: new Date(Date.now() - day), to: new Date(Date.now() + day) })

describe("totals", () => {
  it("count what was sent, verified and booked, by the dimensions of the call", async () => {
    const { engine, gateway } = await host({ prices: { sms: "0.50" } })
    await engine.account.topUp({ amount: "10" })
    const phoneNumber = phone()
    const { requestId } = await engine.verifications.send({ phoneNumber })
    await engine.verifications.check({
      requestId,
      code: gateway.messages(phoneNumber)[0]?.code ?? "",
    })
    await engine.messages.send({ phoneNumber, text: "hello" })
    const found = await engine.totals.read({ ...period(), by: ["country", "outcome"] })
    assert.deepStrictEqual(
      found.map(({ amount, channel, count, country, gateway, kind, outcome, refunded }) =>
        [kind, channel, gateway, country, outcome, count, amount, refunded].join(),
      ),
      [
        "bookings,,,,top-up,1,10.00,0.00",
        "messages,,,BD,delivered,2,1.00,0.00",
        "requests,,,BD,opened,1,0.00,0.00",
        "requests,,,BD,verified,1,0.00,0.00",
      ],
    )
    assert.isTrue(found.every(({ at }) => at.getTime() % day === 0))
    const [message] = await engine.totals.read({
      ...period(),
      kinds: ["messages"],
      every: "hour",
    })
    assert.deepInclude(message, { channel: "sms", gateway: "development" })
    await engine.dispose()
  })
})
