/**
 * `POST /verify`: accepted input, and the answer on success.
 */
import { assert } from "@effect/vitest"
import { answers, type ContractTest, faults, member, proves, refuses, textAt } from "./support.ts"

const banglaDigits = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(0x09e6 + Number(digit)))

export const sendCode: ReadonlyArray<ContractTest> = [
  proves(
    ["2.5, 3.1, 4.4 sent", "4.1, 4.4 channel", "4.4, 8 expiry"],
    "a number alone is enough: an SMS in English, six digits, five minutes",
    async (contract, organization) => {
      const number = contract.number()
      const answer = await organization.verify(number)
      const request_id = textAt(answer.body, "data", "request_id")
      const data = { request_id, to: number, channel: "sms", status: "pending", expires_in: 300 }
      answers(answer, { success: true, data })
      const [arrived] = await contract.subject.journal(number)
      assert.strictEqual(arrived?.channel, "sms")
      assert.strictEqual(arrived?.sender, "8809612000101")
      assert.match(arrived?.text ?? "", /(?<!\d)\d{6}(?!\d)/)
      assert.match(arrived?.text ?? "", /[a-z]/)
    },
  ),
  proves(
    [
      "4.4 phone_number",
      "4.1, 4.4 channel",
      "4.4, 8 code_length",
      "4.4, 8 expiry",
      "4.4 locale",
      "requests: integers",
      "numbers: plan",
      "7 verify 400",
    ],
    "all that is wrong is named at once",
    async (_, organization) => {
      for (const body of [
        { phone_number: "8801712345678", channel: "", code_length: 3, expiry: 59, locale: "en" },
        // No operator has the prefix 012. A simple regular expression would accept it.
        {
          phone_number: "+8801212345678",
          channel: "SMS",
          code_length: 11,
          expiry: 3601,
          locale: "",
        },
        { phone_number: "+880 1712-345678", channel: 1, code_length: 1.5, expiry: 60.5, locale: 1 },
        {
          phone_number: 8801712345678,
          channel: null,
          code_length: "6",
          expiry: "300",
          brand_id: 1,
        },
      ]) {
        faults(await organization.post("/verify", body), 400, ...Object.keys(body))
      }
      faults(await organization.post("/verify", {}), 400, "phone_number")
      assert.deepStrictEqual(await organization.log(), [])
    },
  ),
  proves(
    ["4.4, 8 code_length", "4.4, 8 expiry", "4.4 locale"],
    "a code has the digits, the expiry and the language that were asked for",
    async (contract, organization) => {
      for (const [code_length, expiry, locale] of [
        [4, 60, "en-us"],
        [10, 3600, "bn-bd"],
      ] as const) {
        const number = contract.number()
        const answer = await organization.verify(number, { code_length, expiry, locale })
        assert.strictEqual(member(answer.body, "data", "expires_in"), expiry, answer.text)
        assert.lengthOf(await contract.codeOf(number), code_length)
        const isBangla = /[\u0980-\u09ff]/.test(await contract.textTo(number))
        assert.strictEqual(isBangla, locale === "bn-bd")
      }
    },
  ),
  proves(
    ["numbers: plan", "4.1 to"],
    "Bangla digits are digits, and answers have ASCII ones, a message's without the plus",
    async (contract, organization) => {
      const number = contract.number()
      const bangla = banglaDigits(number)
      const answer = await organization.verify(bangla)
      assert.strictEqual(member(answer.body, "data", "to"), number, answer.text)
      for (const to of [number, number.slice(1), bangla, bangla.slice(1)]) {
        const sent = await organization.send(to)
        assert.strictEqual(member(sent.body, "data", "to"), number.slice(1), sent.text)
      }
      assert.strictEqual(await contract.messageCount(number), 5)
    },
  ),
  proves(
    ["7 verify 500", "3.3 refunded", "8 pricing of verifications"],
    "a code that the gateway refuses: 500, and the request is not pending and has cost nothing",
    async (contract) => {
      const organization = await contract.organization({ balance: "0.5" })
      const number = contract.special("refused")
      // If they were pending, the last of six requests would exceed the limit. If they were charged, the second
      // would fail.
      for (let sent = 0; sent < 6; sent++) refuses(await organization.verify(number), 500)
      assert.strictEqual(await organization.balance(), 0.5)
      const [entry] = await organization.log()
      assert.strictEqual(member(entry, "status"), "rejected")
      assert.strictEqual(member(entry, "price"), "0.00")
      const whatsApp = contract.special("noWhatsApp")
      refuses(await organization.verify(whatsApp, { channel: "whatsapp" }), 500)
      assert.strictEqual(member(await organization.log(), 0, "status"), "failed")
    },
  ),
  proves(
    ["money: answer to unknown", "money: unknown outcome", "2.5, 3.1, 4.4 sent"],
    "a code of which it is unknown whether it was sent: 200 pending, and the price is held",
    async (contract) => {
      const organization = await contract.organization({ balance: "1" })
      const number = contract.special("silent")
      const answer = await organization.verify(number)
      const request_id = textAt(answer.body, "data", "request_id")
      const data = { request_id, to: number, channel: "sms", status: "pending", expires_in: 300 }
      answers(answer, { success: true, data })
      assert.strictEqual(await organization.balance(), 0.5)
      const [entry] = await organization.log()
      assert.strictEqual(member(entry, "status"), "unknown")
      assert.strictEqual(member(entry, "price"), "0.50")
      // The code may have arrived despite the error.
      const checked = await organization.check(request_id, await contract.codeOf(number))
      assert.strictEqual(member(checked.body, "data", "status"), "verified")
    },
  ),
]
