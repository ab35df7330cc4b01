import { assert, it } from "vitest"
import type * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const { host } = hosts()

it("a gateway of the host that repeats a live code brings it into no row, log or event", async () => {
  const texts: Array<string> = []
  const sms: Countersign.Gateway = {
    name: "own",
    send: async ({ phoneNumber: to, text }) => {
      texts.push(text)
      return texts.length === 1
        ? { status: "accepted", gatewayId: `id-${text.slice(0, 6)}` }
        : { status: "rejected", reason: "content", message: `blocked for ${to}: ${text}` }
    },
  }
  const { engine, lines } = await host({
    gateways: { sms },
    limits: { resendCooldown: "0 days" },
  })
  const events: Array<Countersign.Event> = []
  engine.subscribe((event) => events.push(event))
  const phoneNumber = phone()
  const { requestId } = await engine.verifications.send({ phoneNumber })
  const error = await failure(engine.verifications.resend({ requestId }))
  const { items: messages } = await engine.messages.list()
  assert.deepStrictEqual(
    messages.map((one) => one.error),
    [`blocked for ${phoneNumber.slice(0, 5)}*****${phoneNumber.slice(-3)}: [text]`, null],
  )
  const code = texts[0]?.slice(0, 6) ?? ""
  assert.match(code, /^\d{6}$/)
  assert.notInclude(JSON.stringify([messages, lines, events, String(error)]), code)
  // It is the code of a request that is still pending.
  const checked = await engine.verifications.check({ requestId, code })
  assert.isTrue(checked.isFirst)
  await engine.dispose()
})
