/**
 * `POST /messages`: accepted input, and the answers.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  type Contract,
  type ContractTest,
  faults,
  limits,
  member,
  type Organization,
  proves,
  provesOverTime,
  refuses,
  textAt,
} from "./support.ts"

const withoutPlus = (number: string): string => number.slice(1)

const banglaDigits = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(0x09e6 + Number(digit)))

/** Sends a text, and returns the delivered and the logged text. */
const arrivesAs = async (contract: Contract, organization: Organization, message: string) => {
  const number = contract.number()
  const answer = await organization.send(number, { message })
  assert.strictEqual(answer.status, 200, answer.text)
  assert.strictEqual(await contract.textTo(number), message)
  assert.strictEqual(member(await organization.log(), 0, "message"), message)
}

export const sendMessage: ReadonlyArray<ContractTest> = [
  proves(
    ["4.1 success", "2.1 send result", "3.2 message status", "8 pricing of SMS", "4.1 channel"],
    "a number and a text are enough: an SMS from the default number, for 0.5",
    async (contract) => {
      const organization = await contract.organization({ balance: "10" })
      const number = contract.number()
      const answer = await organization.post("/messages", {
        to: withoutPlus(number),
        message: "Your order is on its way.",
      })
      const gateway_id = textAt(answer.body, "data", "gateway_id")
      answers(answer, {
        success: true,
        data: {
          gateway_id,
          to: withoutPlus(number),
          channel: "sms",
          status: "delivered",
          credits_remaining: 9.5,
        },
      })
      const [arrived] = await contract.subject.journal(number)
      assert.strictEqual(arrived?.text, "Your order is on its way.")
      assert.strictEqual(arrived?.channel, "sms")
      assert.strictEqual(arrived?.sender, "8809612000101")
    },
  ),
  proves(
    ["4.1 channel", "8 pricing of WhatsApp"],
    "WhatsApp costs nothing and needs no balance",
    async (contract) => {
      const organization = await contract.organization({ balance: "0" })
      const number = contract.number()
      const answer = await organization.send(number, { channel: "whatsapp" })
      assert.strictEqual(member(answer.body, "data", "channel"), "whatsapp", answer.text)
      assert.strictEqual(member(answer.body, "data", "credits_remaining"), 0)
      const [arrived] = await contract.subject.journal(number)
      assert.strictEqual(arrived?.channel, "whatsapp")
      assert.strictEqual(arrived?.sender, "contract-profile")
    },
  ),
  proves(
    ["4.1 to", "requests: spelling", "numbers: plan"],
    "a number may be written with its plus, without it, or in Bangla digits; answers have no plus",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      for (const to of [
        number,
        withoutPlus(number),
        banglaDigits(number),
        banglaDigits(withoutPlus(number)),
      ]) {
        const answer = await organization.send(to)
        assert.strictEqual(member(answer.body, "data", "to"), withoutPlus(number), answer.text)
      }
      assert.strictEqual(await contract.messageCount(number), 4)
    },
  ),
  proves(
    ["4.1 to", "numbers: plan", "7 message 422"],
    "a number that its country's plan does not have is refused",
    async (contract) => {
      const organization = await contract.organization()
      for (const to of ["", "01712345678", "8801212345678", "880 1712 345678"]) {
        faults(await organization.send(to), 422, "to")
      }
      for (const to of [undefined, null, 8801712345678]) {
        faults(await organization.post("/messages", { to, message: "Hello" }), 422, "to")
      }
      assert.deepStrictEqual(await organization.log(), [])
    },
  ),
  proves(
    ["4.1 message", "requests: message length"],
    "a text of 1 to 1,600 characters arrives and is logged as it is, not trimmed",
    async (contract) => {
      const organization = await contract.organization()
      for (const message of [
        " ",
        "  tab\tand\r\nlines\n",
        "ক".repeat(1_600),
        // Each has two UTF-16 units.
        "😀".repeat(800),
      ]) {
        await arrivesAs(contract, organization, message)
      }
    },
  ),
  proves(
    ["4.1 message", "requests: message length", "7 message 422"],
    "an empty text and one of 1,601 characters are refused",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      for (const message of [
        "",
        "ক".repeat(1_601),
        `x${"😀".repeat(800)}`,
        // Half a character.
        "\ud83d",
        "a\u0000b",
        undefined,
        1,
      ]) {
        faults(await organization.send(number, { message }), 422, "message")
      }
      assert.strictEqual(await contract.messageCount(number), 0)
    },
  ),
  proves("requests: message length", "the bound is a setting of the host", async (contract) => {
    const settings = { limits: { messageLength: 10 } }
    const organization = await contract.organization({ settings })
    await arrivesAs(contract, organization, "ten chars.")
    faults(await organization.send(contract.number(), { message: "11 chars..." }), 422, "message")
  }),
  proves(["4.1 channel", "7 message 422"], "there is no third channel", async (contract) => {
    const organization = await contract.organization()
    for (const channel of ["", "SMS", 1]) {
      faults(await organization.send(contract.number(), { channel }), 422, "channel")
    }
  }),
  proves("7 message 422", "all that is wrong is named at once", async (contract) => {
    const organization = await contract.organization()
    const wrong = { to: "unknown", message: "", channel: "pigeon", brand_id: 5 }
    const answer = await organization.post("/messages", wrong)
    faults(answer, 422, "to", "message", "channel", "brand_id")
    faults(await organization.post("/messages", {}), 422, "to", "message")
  }),
  proves(
    ["7 message 500", "money: SMS failure", "3.3 refunded"],
    "a message that the gateway refuses, or cannot send: 500 with status failed, at no cost",
    async (contract) => {
      const organization = await contract.organization({ balance: "0.5", whatsAppPrice: "0.5" })
      for (const [number, channel, status] of [
        [contract.special("refused"), "sms", "rejected"],
        [contract.special("refused"), "whatsapp", "rejected"],
        [contract.special("noWhatsApp"), "whatsapp", "failed"],
      ] as const) {
        refuses(await organization.send(number, { channel }), 500, { status: "failed" })
        assert.strictEqual(await organization.balance(), 0.5)
        const [entry] = await organization.log()
        assert.strictEqual(member(entry, "status"), status)
        assert.strictEqual(member(entry, "price"), "0.00")
        assert.strictEqual(member(entry, "gatewayId"), null)
        textAt(entry, "errorMessage")
      }
      const again = await organization.send(contract.special("noWhatsApp"))
      assert.strictEqual(member(again.body, "data", "credits_remaining"), 0, again.text)
    },
  ),
  proves(
    ["7 message 400 WhatsApp", "numbers: WhatsApp"],
    "a recipient who is not on WhatsApp: 400, and nothing is sent, logged or charged",
    async (contract) => {
      const organization = await contract.organization({ balance: "1", whatsAppPrice: "0.5" })
      const number = contract.special("notOnWhatsApp")
      refuses(await organization.send(number, { channel: "whatsapp" }), 400)
      assert.deepStrictEqual(await organization.log(), [])
      assert.strictEqual(await contract.messageCount(number), 0)
      assert.strictEqual(await organization.balance(), 1)
      assert.strictEqual((await organization.send(number)).status, 200)
    },
  ),
  proves(
    ["money: answer to unknown", "money: unknown outcome"],
    "a message of which it is unknown whether it was sent: 500 with status unknown, and held",
    async (contract) => {
      const organization = await contract.organization({ balance: "1" })
      const answer = await organization.send(contract.special("silent"))
      refuses(answer, 500, { status: "unknown" })
      assert.strictEqual(await organization.balance(), 0.5)
      const [entry] = await organization.log()
      assert.strictEqual(member(entry, "status"), "unknown")
      assert.strictEqual(member(entry, "price"), "0.50")
    },
  ),
  proves(
    ["7 message 402", "money: spelling", "money: what can be spent"],
    "402 tells the price and what there is; the last 0.5 can be spent",
    async (contract) => {
      const organization = await contract.organization({ balance: "1.1" })
      const number = contract.number()
      for (const credits_remaining of [0.6, 0.1]) {
        const sent = await organization.send(number)
        assert.strictEqual(member(sent.body, "data", "credits_remaining"), credits_remaining)
      }
      refuses(await organization.send(number), 402, { required: 0.5, available: 0.1 })
      await organization.host.topUp("0.4")
      const last = await organization.send(number)
      assert.strictEqual(member(last.body, "data", "credits_remaining"), 0)
      refuses(await organization.send(number), 402, { required: 0.5, available: 0 })
      assert.strictEqual(await contract.messageCount(number), 3)
      assert.lengthOf(await organization.log(), 3)
    },
  ),
  provesOverTime(
    ["7 message 429", "access: Retry-After"],
    "a rate that the host has set: 429 until exactly retry_after seconds have passed",
    async (contract) => {
      const limit = { max: 3, windowMillis: 10_000 }
      const settings = { limits: { messagesPerOrganization: limit } }
      const organization = await contract.organization({ settings })
      const send = () => organization.send(contract.number())
      for (const status of [200, 200, 200]) {
        assert.strictEqual((await send()).status, status)
        contract.subject.advance(1_500)
      }
      // The first message was sent at 0 ms, and now it is 4,500 ms.
      assert.strictEqual(limits(await send()), 6)
      contract.advanceSeconds(6)
      assert.strictEqual((await send()).status, 200)
    },
  ),
]
