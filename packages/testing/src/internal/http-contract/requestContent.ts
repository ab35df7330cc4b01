/**
 * The additional members of `POST /verify` and `POST /verify/check`.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  checkAnswers,
  type ContractTest,
  faults,
  member,
  type Organization,
  proves,
  provesOverTime,
  refuses,
  wrong,
} from "./support.ts"

const checkOf = (organization: Organization) => (body: object) =>
  organization.post("/verify/check", body)

const ofChecks: ReadonlyArray<ContractTest> = [
  proves(
    "check by number",
    "the newest pending request of the number, or 404",
    async (contract, organization) => {
      const check = checkOf(organization)
      const { code, id, number: phone_number } = await organization.sendCode()
      const second = await organization.sendCode(phone_number)
      const tried = await check({ phone_number, code: wrong(second.code) })
      checkAnswers(tried, second.id, { pending: 2 })
      const right = await check({ phone_number, code: second.code })
      assert.strictEqual(member(right.body, "data", "request_id"), second.id)
      // Now the first request is the newest one that is pending.
      checkAnswers(await check({ phone_number, code: wrong(code) }), id, { pending: 2 })
      const first = await check({ phone_number, code })
      assert.strictEqual(member(first.body, "data", "request_id"), id)
      assert.strictEqual(first.headers.get("countersign-first"), "true")
      refuses(await check({ phone_number, code }), 404)
      const other = await contract.organization()
      await organization.sendCode(phone_number)
      refuses(await checkOf(other)({ phone_number, code }), 404)
    },
  ),
  proves(
    ["check by number", "4.5 request_id"],
    "the request, and the number only without it",
    async (contract, organization) => {
      const check = checkOf(organization)
      const { code, id: request_id, number: phone_number } = await organization.sendCode()
      faults(await check({ code }), 400, "request_id")
      for (const odd of ["", phone_number.slice(1), 1]) {
        faults(await check({ phone_number: odd, code }), 400, "phone_number")
      }
      faults(await check({ request_id: "", phone_number, code }), 400, "request_id")
      refuses(await check({ request_id: "vrf_unknown", phone_number, code }), 404)
      const beside = { request_id, phone_number: contract.number(), code }
      assert.strictEqual((await check(beside)).status, 200)
    },
  ),
  proves(
    "check with a purpose",
    "another purpose is not found, and costs no attempt",
    async (_, organization) => {
      const check = checkOf(organization)
      const sent = await organization.sendCode(undefined, { purpose: "login" })
      const { code, id: request_id, number: phone_number } = sent
      const unknown = await check({ request_id: "vrf_unknown", code })
      for (const which of [{ request_id }, { phone_number }]) {
        const answer = await check({ ...which, code, purpose: "logi" })
        refuses(answer, 404)
        assert.strictEqual(answer.text, unknown.text)
      }
      checkAnswers(await check({ request_id, code: wrong(code) }), request_id, { pending: 2 })
      const good = { phone_number, code, purpose: "login" }
      assert.strictEqual((await check(good)).status, 200)
    },
  ),
]

const payment = { amount: "৳ ৫০০", payee: "রহিম Store" }

const bounds = {
  purpose: ["", "Login", "-a", "x".repeat(33), 1],
  metadata: [{ a: "x".repeat(1_017) }, { a: `x${"é".repeat(508)}` }, [], "{}", null],
  payment: [{ amount: "1" }, { ...payment, amount: 1 }, { ...payment, payee: "x".repeat(65) }, "5"],
  client: ["", "x".repeat(129), 1],
}

const ofSends: ReadonlyArray<ContractTest> = [
  proves(
    ["verify: purpose", "verify: metadata", "verify: payment", "client: 400"],
    "their bounds",
    async (contract, organization) => {
      const number = contract.number()
      for (const [name, values] of Object.entries(bounds)) {
        for (const value of values) {
          faults(await organization.verify(number, { [name]: value }), 400, name)
        }
      }
      const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`
      const body = `{"phone_number":"${number}","metadata":${deep}}`
      faults(await organization.request("POST", "/verify", body), 400, "metadata")
      assert.deepStrictEqual(await organization.log(), [])
      const longest = { purpose: "pay_bill.v2-x", client: "x".repeat(128) }
      assert.strictEqual((await organization.verify(number, longest)).status, 200)
    },
  ),
  proves(
    ["verify: purpose", "verify: metadata", "verify: payment", "2.5, 3.1, 4.4 sent", "client: 400"],
    "the answer to the send is the same with them, and the state has the purpose and the metadata",
    async (contract, organization) => {
      for (const metadata of [
        { account: "a-17", tries: [1, -2.5, null, true, { deep: [[]] }] },
        { "": "", বাংলা: "হ্যালো 😀", "\u0000": "\u0000 \ud83d", "a.b": 1 },
        { a: "x".repeat(1_016) },
      ]) {
        const number = contract.number()
        const members = { purpose: "pay", metadata, payment, client: "the owner's phone" }
        const answer = await organization.verify(number, members)
        const request_id = member(answer.body, "data", "request_id")
        const data = { request_id, to: number, channel: "sms", status: "pending", expires_in: 300 }
        answers(answer, { success: true, data })
        const state = await organization.state(String(request_id))
        assert.deepInclude(member(state.body, "data"), { purpose: "pay", metadata })
        for (const { text } of [state, await organization.list()]) {
          assert.notInclude(text, members.client)
        }
      }
    },
  ),
  provesOverTime(
    "verify: payment",
    "the text names it, every time",
    async (contract, organization) => {
      for (const locale of ["en-us", "bn-bd"]) {
        const members = { payment: { ...payment, more: 1 }, locale }
        const { id, number } = await organization.sendCode(undefined, members)
        const text = await contract.textTo(number)
        assert.include(text, payment.amount)
        assert.include(text, payment.payee)
        contract.advanceSeconds(30)
        assert.strictEqual((await organization.resend(id)).status, 200)
        assert.strictEqual(await contract.textTo(number), text)
      }
    },
  ),
]

export const requestContent: ReadonlyArray<ContractTest> = [...ofChecks, ...ofSends]
