/**
 * `POST /messages`: accepted input, and the answers.
 */
import { assert } from "@effect/vitest"
import { answers, type ContractTest, faults, member, proves, refuses, textAt } from "./support.ts"

const withoutPlus = (number: string): string => number.slice(1)

export const sendMessage: ReadonlyArray<ContractTest> = [
  proves(
    ["2.1, 4.1 send result", "3.2 message status", "8 pricing of SMS", "4.1, 4.4 channel"],
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
    ["4.1, 4.4 channel", "8 pricing of WhatsApp", "8 pricing of verifications"],
    "WhatsApp carries a message and a code for nothing, and needs no balance",
    async (contract) => {
      const organization = await contract.organization({ balance: "0" })
      const number = contract.number()
      for (const call of ["send", "verify"] as const) {
        const answer = await organization[call](number, { channel: "whatsapp" })
        assert.strictEqual(member(answer.body, "data", "channel"), "whatsapp", answer.text)
        const [arrived] = await contract.subject.journal(number)
        assert.strictEqual(arrived?.channel, "whatsapp")
        assert.strictEqual(member(await organization.log(), 0, "price"), "0.00")
      }
      assert.strictEqual(await organization.balance(), 0)
    },
  ),
  proves(
    [
      "4.1 to",
      "4.1 message",
      "4.1, 4.4 channel",
      "numbers: plan",
      "requests: message length",
      "7 message 422",
    ],
    "all that is wrong is named at once",
    async (_, organization) => {
      const halfOfACharacter = "\ud83d"
      for (const body of [
        { to: "", message: "", channel: "" },
        { to: "01712345678", message: "ক".repeat(1_601), channel: "SMS" },
        { to: "8801212345678", message: `x${"😀".repeat(800)}`, channel: 1 },
        { to: "880 1712 345678", message: halfOfACharacter, brand_id: 5 },
        { to: 8801712345678, message: "a\u0000b" },
        { to: null, message: 1 },
      ]) {
        faults(await organization.post("/messages", body), 422, ...Object.keys(body))
      }
      faults(await organization.post("/messages", {}), 422, "to", "message")
      assert.deepStrictEqual(await organization.log(), [])
    },
  ),
  proves(
    ["4.1 message", "requests: message length"],
    "a text of 1 to 1,600 characters arrives and is logged as it is, not trimmed",
    async (contract, organization) => {
      // Each of the last has two UTF-16 units.
      for (const message of [" ", "  tab\tand\r\nlines\n", "ক".repeat(1_600), "😀".repeat(800)]) {
        const number = contract.number()
        const answer = await organization.send(number, { message })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(await contract.textTo(number), message)
        assert.strictEqual(member(await organization.log(), 0, "message"), message)
      }
    },
  ),
  proves(
    ["7 message 500", "3.3 refunded"],
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
]
