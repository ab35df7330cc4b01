/** What hosts learn when a message is not sent: the cause, the gateway, and what the vendor said. */
import { fromE164, mask } from "@countersign/core/domain/values/PhoneNumber"
import { assert, describe, it } from "vitest"
import { twilio } from "../src/gateways.ts"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"
import { startVendor } from "./support/vendor.ts"

const { host } = hosts()

const secret = "the-auth-token-of-the-account"

/** Refuses every login, as Twilio does, and repeats the number and a secret. */
const refusingLogins = () =>
  startVendor(({ body }) => {
    const message = `Authenticate ${secret} for ${new URLSearchParams(body).get("To")}`
    return { status: 401, body: JSON.stringify({ code: 20_003, message, status: 401 }) }
  })

const own = (name: string, outcome: Countersign.GatewayOutcome): Countersign.Gateway => ({
  name,
  send: async () => outcome,
})

const refusing = own("acme", {
  status: "rejected",
  reason: "content",
  message: "spam",
  vendorCode: "E-17",
})

const sendingTo = async (
  gateways: Countersign.CountersignOptions["gateways"],
  channel?: "whatsapp",
) => {
  const { engine } = await host({ gateways, routing: { retryFor: "1 second" } })
  const phoneNumber = phone()
  const message = await failure(
    engine.messages.send({ phoneNumber, text: "hello", ...(channel && { channel }) }),
  )
  const code = await failure(
    engine.verifications.send({ phoneNumber, ...(channel && { channel }) }),
  )
  for (const error of [message, code]) assert.instanceOf(error, Countersign.SendingFailedError)
  const { items: messages } = await engine.messages.list()
  const [first] = messages
  const { timeline } = await engine.messages.history({ sequence: first?.sequence ?? 0 })
  return { message, code, messages, phoneNumber, timeline }
}

describe("a message that is not sent", () => {
  it("names the vendor that refused the account, its code and its text, without secrets", async () => {
    const { origin: baseUrl } = await refusingLogins()
    const { code, message, messages, phoneNumber, timeline } = await sendingTo([
      twilio({ accountSid: "AC01", authToken: secret, from: "8809612345678", baseUrl }),
    ])
    const masked = `20003: Authenticate [secret] for ${mask(fromE164(phoneNumber))}`
    assert.deepInclude(message, {
      status: "failed",
      reason: "account",
      gateway: "twilio",
      vendorCode: "20003",
      vendorMessage: masked,
    })
    assert.include(message.message, "twilio, account")
    // The gateway is paused after it has refused the account.
    assert.deepInclude(code, { status: "failed", reason: "not_sent", gateway: "twilio" })
    assert.deepInclude(messages.at(-1), {
      gateway: "twilio",
      failureReason: "account",
      vendorCode: "20003",
      error: masked,
    })
    const settled = timeline.findLast(({ kind }) => kind === "settled")
    assert.deepInclude(settled, { gateway: "twilio", failureReason: "not_sent", vendorCode: null })
  })

  it.each<readonly [string, Countersign.CountersignOptions["gateways"]]>([
    ["a gateway of one's own", { sms: refusing }],
    [
      "one of two gateways of one's own",
      { sms: refusing, whatsapp: own("other", { status: "not_sent", message: "" }) },
    ],
    ["one in a list", [refusing]],
  ])("has the name of %s", async (_, gateways) => {
    const { code, message, messages, timeline } = await sendingTo(gateways)
    const expected = { reason: "content", gateway: "acme", vendorCode: "E-17" }
    for (const error of [message, code]) {
      assert.deepInclude<object>(error, { ...expected, status: "failed", vendorMessage: "spam" })
    }
    for (const entry of messages) {
      assert.deepInclude(entry, { gateway: "acme", failureReason: "content", vendorCode: "E-17" })
    }
    const settled = timeline.findLast(({ kind }) => kind === "settled")
    assert.deepInclude(settled, { gateway: "acme", vendorCode: "E-17" })
  })

  it.each<readonly [string, Countersign.CountersignOptions["gateways"]]>([
    ["a gateway for SMS", { sms: refusing }],
    ["gateways in a list", [{ ...refusing, channels: ["sms"] as const }]],
  ])("over WhatsApp says that there is no gateway, with only %s", async (_, gateways) => {
    const { message, messages } = await sendingTo(gateways, "whatsapp")
    const expected = { gateway: null, vendorCode: null, vendorMessage: null }
    assert.deepInclude(message, { ...expected, status: "failed", reason: "no_gateway" })
    assert.deepInclude(messages.at(-1), { failureReason: "no_gateway", vendorCode: null })
  })
})
