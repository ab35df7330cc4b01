/**
 * Charges, holds and refunds.
 */
import { assert } from "@effect/vitest"
import {
  type ContractTest,
  eventually,
  member,
  type Organization,
  proves,
  refuses,
  tally,
} from "./support.ts"

/** Status and price of the newest entry, and the available balance. */
const newest = async (organization: Organization) => {
  const [entry] = await organization.log()
  return [member(entry, "status"), member(entry, "price"), await organization.balance()]
}

export const money: ReadonlyArray<ContractTest> = [
  proves(
    ["money: charge", "money: what can be spent", "3.3 charged", "money: answer to unknown"],
    "while the gateway has the message, it is in the log and its price is off the balance",
    async (contract) => {
      const organization = await contract.organization({ balance: "0.5" })
      const number = contract.special("silent")
      const sending = organization.send(number)
      await eventually(async () => assert.strictEqual(await contract.messageCount(number), 1))
      const [entry] = await organization.log()
      assert.include(["pending", "unknown"], member(entry, "status"))
      assert.strictEqual(member(entry, "price"), "0.50")
      assert.strictEqual(await organization.balance(), 0)
      const other = await organization.send(contract.number())
      refuses(other, 402, { required: 0.5, available: 0 })
      refuses(await sending, 500, { status: "unknown" })
    },
  ),
  proves(
    ["money: charge", "money: unknown outcome"],
    "a client that hangs up stops nothing: the message is sent and settled",
    async (contract) => {
      const organization = await contract.organization({ balance: "1" })
      const number = contract.special("silent")
      const hangUp = new AbortController()
      const sending = fetch(`${contract.baseUrl}/messages`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${organization.key}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ to: number, message: "Hello" }),
        signal: hangUp.signal,
      }).catch(() => "hung up")
      await eventually(async () => assert.strictEqual(await contract.messageCount(number), 1))
      hangUp.abort()
      assert.strictEqual(await sending, "hung up")
      await eventually(async () =>
        assert.deepStrictEqual(await newest(organization), ["unknown", "0.50", 0.5]),
      )
    },
  ),
  proves(
    ["money: charge", "7 message 402"],
    "thirty messages at once on a balance for two: exactly two are sent",
    async (contract) => {
      const organization = await contract.organization({ balance: "1.4" })
      const numbers = Array.from({ length: 30 }, () => contract.number())
      const given = await Promise.all(numbers.map((number) => organization.send(number)))
      assert.deepStrictEqual(tally(given), { 200: 2, 402: 28 })
      for (const answer of given) {
        if (answer.status === 402) refuses(answer, 402, { required: 0.5, available: 0.4 })
      }
      assert.strictEqual(await organization.balance(), 0.4)
      assert.lengthOf(await organization.log(), 2)
      const arrived = await Promise.all(numbers.map((number) => contract.messageCount(number)))
      assert.strictEqual(arrived.filter((count) => count > 0).length, 2)
    },
  ),
  proves(
    ["log: status", "3.2 message status", "money: what can be spent"],
    "what the gateway took is accepted in the log, delivered in the answer, and held",
    async (contract) => {
      const organization = await contract.organization({ balance: "2" })
      const answer = await organization.send(contract.special("unreported"))
      assert.strictEqual(member(answer.body, "data", "status"), "delivered", answer.text)
      assert.strictEqual(member(answer.body, "data", "credits_remaining"), 1.5)
      assert.deepStrictEqual(await newest(organization), ["accepted", "0.50", 1.5])
      const [entry] = await organization.log()
      assert.strictEqual(member(entry, "gatewayId"), member(answer.body, "data", "gateway_id"))
    },
  ),
  proves(
    ["3.3 refunded", "log: status", "8 pricing of verifications"],
    "a report that a message or a code has not arrived gives its price back",
    async (contract) => {
      const organization = await contract.organization({ balance: "1" })
      for (const call of ["send", "verify"] as const) {
        await organization[call](contract.special("undelivered"))
        await eventually(async () =>
          assert.deepStrictEqual(await newest(organization), ["undelivered", "0.00", 1]),
        )
      }
    },
  ),
  proves(
    ["money: spelling", "money: what can be spent"],
    "amounts are exact, also where binary fractions are not",
    async (contract) => {
      const organization = await contract.organization({ balance: "1.3001", whatsAppPrice: "0.1" })
      const number = contract.number()
      const remaining = []
      for (const channel of ["sms", "whatsapp", "whatsapp", "whatsapp", "sms"]) {
        const sent = await organization.send(number, { channel })
        remaining.push(member(sent.body, "data", "credits_remaining"))
      }
      assert.deepStrictEqual(remaining, [0.8001, 0.7001, 0.6001, 0.5001, 0.0001])
      const prices = (await organization.log()).map((entry) => member(entry, "price"))
      assert.deepStrictEqual(prices, ["0.50", "0.10", "0.10", "0.10", "0.50"])
      const answer = await organization.send(number, { channel: "whatsapp" })
      refuses(answer, 402, { required: 0.1, available: 0.0001 })
    },
  ),
]
