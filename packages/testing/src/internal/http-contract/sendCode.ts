/**
 * `POST /verify`: accepted input, and the answer on success.
 */
import { assert } from "@effect/vitest"
import { answers, type ContractTest, faults, member, proves, refuses, textAt } from "./support.ts"

const banglaDigits = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(0x09e6 + Number(digit)))

export const sendCode: ReadonlyArray<ContractTest> = [
  proves(
    [
      "4.4 success",
      "2.5 verification request",
      "3.1 none → pending",
      "4.4 channel",
      "8 code expiry",
    ],
    "a number alone is enough: an SMS in English, six digits, five minutes",
    async (contract) => {
      const organization = await contract.organization()
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
    ["4.4 phone_number", "requests: spelling", "numbers: plan", "7 verify 400"],
    "a number without its plus, or that its country's plan does not have, is refused",
    async (contract) => {
      const organization = await contract.organization()
      for (const phoneNumber of [
        "8801712345678",
        "01712345678",
        "",
        // No operator has the prefix 012. A simple regular expression would accept it.
        "+8801212345678",
        "+880 1712-345678",
      ]) {
        faults(await organization.verify(phoneNumber), 400, "phone_number")
      }
      for (const phone_number of [undefined, null, 8801712345678]) {
        faults(await organization.post("/verify", { phone_number }), 400, "phone_number")
      }
      assert.deepStrictEqual(await organization.log(), [])
    },
  ),
  proves(
    ["numbers: plan", "requests: spelling"],
    "Bangla digits are digits, and the answer has ASCII ones",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      const answer = await organization.verify(banglaDigits(number))
      assert.strictEqual(member(answer.body, "data", "to"), number, answer.text)
    },
  ),
  proves(
    ["4.4 channel", "8 pricing of WhatsApp", "8 pricing of verifications"],
    "WhatsApp carries a code too, from the default profile and for nothing",
    async (contract) => {
      const organization = await contract.organization({ balance: "0" })
      const number = contract.number()
      const answer = await organization.verify(number, { channel: "whatsapp" })
      assert.strictEqual(member(answer.body, "data", "channel"), "whatsapp", answer.text)
      const [arrived] = await contract.subject.journal(number)
      assert.strictEqual(arrived?.channel, "whatsapp")
      assert.strictEqual(arrived?.sender, "contract-profile")
      assert.strictEqual(await organization.balance(), 0)
      assert.strictEqual(member(await organization.log(), 0, "price"), "0.00")
    },
  ),
  proves(["4.4 channel", "7 verify 400"], "there is no third channel", async (contract) => {
    const organization = await contract.organization()
    for (const channel of ["", "SMS", 1]) {
      faults(await organization.verify(contract.number(), { channel }), 400, "channel")
    }
  }),
  proves(
    ["4.4 code_length", "8 code length"],
    "a code has as many digits as were asked for, from 4 to 10",
    async (contract) => {
      const organization = await contract.organization()
      for (const code_length of [4, 10]) {
        const { code } = await organization.sendCode(contract.number(), { code_length })
        assert.lengthOf(code, code_length)
      }
    },
  ),
  proves(
    ["4.4 code_length", "8 code length", "requests: integers", "7 verify 400"],
    "any other length is refused, and so is what is no integer",
    async (contract) => {
      const organization = await contract.organization()
      for (const code_length of [3, 11, 1.5, "6"]) {
        faults(await organization.verify(contract.number(), { code_length }), 400, "code_length")
      }
    },
  ),
  proves(["4.4 expiry", "8 code expiry"], "the expiry is what was asked for", async (contract) => {
    const organization = await contract.organization()
    for (const expiry of [60, 3600]) {
      const answer = await organization.verify(contract.number(), { expiry })
      assert.strictEqual(member(answer.body, "data", "expires_in"), expiry, answer.text)
    }
  }),
  proves(
    ["4.4 expiry", "8 code expiry", "requests: integers", "7 verify 400"],
    "an expiry below 60 or above 3600 is refused, and so is what is no integer",
    async (contract) => {
      const organization = await contract.organization()
      for (const expiry of [59, 3601, 60.5, "300"]) {
        faults(await organization.verify(contract.number(), { expiry }), 400, "expiry")
      }
    },
  ),
  proves("4.4 locale", "the text is in the language that was asked for", async (contract) => {
    const organization = await contract.organization()
    const english = contract.number()
    await organization.sendCode(english, { locale: "en-us" })
    assert.notMatch(await contract.textTo(english), /[\u0980-\u09ff]/)
    const bangla = contract.number()
    const { code } = await organization.sendCode(bangla, { locale: "bn-bd" })
    assert.match(await contract.textTo(bangla), /[\u0980-\u09ff]/)
    assert.match(code, /^\d{6}$/)
  }),
  proves(
    ["4.4 locale", "7 verify 400"],
    "a language that is not spoken is refused",
    async (contract) => {
      const organization = await contract.organization()
      for (const locale of ["", "en", 1]) {
        faults(await organization.verify(contract.number(), { locale }), 400, "locale")
      }
    },
  ),
  proves("7 verify 400", "all that is wrong is named at once", async (contract) => {
    const organization = await contract.organization()
    const body = {
      phone_number: "unknown",
      channel: "sms",
      code_length: 3,
      expiry: "long",
      locale: "xx",
      brand_id: "unknown",
    }
    const fields = ["phone_number", "code_length", "expiry", "locale", "brand_id"]
    faults(await organization.post("/verify", body), 400, ...fields)
    faults(await organization.post("/verify", {}), 400, "phone_number")
  }),
  proves(
    ["7 verify 500", "3.3 refunded", "verification: sending fails", "8 pricing of verifications"],
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
      textAt(entry, "errorMessage")
      const whatsApp = contract.special("noWhatsApp")
      refuses(await organization.verify(whatsApp, { channel: "whatsapp" }), 500)
      assert.strictEqual(member(await organization.log(), 0, "status"), "failed")
    },
  ),
  proves(
    ["money: answer to unknown", "money: unknown outcome", "3.1 none → pending"],
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
  proves(
    ["3.3 charged", "8 pricing of verifications", "7 verify 402", "money: spelling"],
    "an SMS with a code costs 0.5, and 402 tells what is missing",
    async (contract) => {
      const organization = await contract.organization({ balance: "1.2" })
      const number = contract.number()
      await organization.sendCode(number)
      assert.strictEqual(await organization.balance(), 0.7)
      await organization.sendCode(number)
      assert.strictEqual(await organization.balance(), 0.2)
      refuses(await organization.verify(number), 402, { required: 0.5, available: 0.2 })
      assert.strictEqual(await organization.balance(), 0.2)
      assert.strictEqual(await contract.messageCount(number), 2)
      assert.lengthOf(await organization.log(), 2)
    },
  ),
  proves(
    ["order of POST /verify", "numbers: WhatsApp"],
    "a recipient who is not on WhatsApp: 400, nothing is sent, and an SMS gets through",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.special("notOnWhatsApp")
      refuses(await organization.verify(number, { channel: "whatsapp" }), 400)
      assert.deepStrictEqual(await organization.log(), [])
      assert.strictEqual(await contract.messageCount(number), 0)
      await organization.sendCode(number)
    },
  ),
]
