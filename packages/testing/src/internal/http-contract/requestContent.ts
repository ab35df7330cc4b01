/**
 * The additional members of `POST /verify` and `POST /verify/check`.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  checkAnswers,
  type Contract,
  type ContractTest,
  faults,
  member,
  proves,
  provesOverTime,
  refuses,
  wrong,
} from "./support.ts"

const checkOf =
  (contract: Contract) =>
  async (members: object = {}) => {
    const organization = await contract.organization()
    const number = contract.number()
    const sent = await organization.sendCode(number, members)
    return {
      organization,
      sent,
      check: (body: object) => organization.post("/verify/check", body),
    }
  }

const ofChecks: ReadonlyArray<ContractTest> = [
  proves("check by number", "the newest pending request of the number", async (contract) => {
    const { check, organization, sent } = await checkOf(contract)()
    const phone_number = sent.number
    const second = await organization.sendCode(phone_number)
    checkAnswers(await check({ phone_number, code: wrong(second.code) }), second.id, { pending: 2 })
    answers(await check({ phone_number, code: second.code }), {
      success: true,
      data: {
        request_id: second.id,
        to: phone_number,
        status: "verified",
        verified_at: new Date(contract.subject.now()).toISOString(),
      },
    })
    // Now the first request is the newest one that is pending.
    checkAnswers(await check({ phone_number, code: wrong(sent.code) }), sent.id, { pending: 2 })
    const bangla = phone_number.replace(/\d/g, (digit) =>
      String.fromCharCode(0x09e6 + Number(digit)),
    )
    const first = await check({ phone_number: bangla, code: sent.code })
    assert.strictEqual(member(first.body, "data", "request_id"), sent.id)
    assert.strictEqual(first.headers.get("countersign-first"), "true")
    refuses(await check({ phone_number, code: sent.code }), 404)
  }),
  provesOverTime("check by number", "numbers without a pending request: 404", async (contract) => {
    const { check, organization, sent } = await checkOf(contract)({ expiry: 60 })
    const { code, number: phone_number } = sent
    refuses(await check({ phone_number: contract.number(), code }), 404)
    const other = await contract.organization()
    refuses(await other.post("/verify/check", { phone_number, code }), 404)
    contract.advanceSeconds(60)
    refuses(await check({ phone_number, code }), 404)
    const next = await organization.sendCode(phone_number)
    await organization.cancel(next.id)
    refuses(await check({ phone_number, code: next.code }), 404)
  }),
  proves(
    ["check by number", "4.5 request_id"],
    "the request, and the number only without it",
    async (contract) => {
      const { check, sent } = await checkOf(contract)()
      const { code, id: request_id, number: phone_number } = sent
      faults(await check({ code }), 400, "request_id")
      for (const odd of ["", phone_number.slice(1), 1]) {
        faults(await check({ phone_number: odd, code }), 400, "phone_number")
      }
      faults(await check({ request_id: "", phone_number, code }), 400, "request_id")
      // No refusal has cost an attempt.
      checkAnswers(await check({ request_id, code: wrong(code) }), request_id, { pending: 2 })
      refuses(await check({ request_id: "vrf_unknown", phone_number, code }), 404)
      const beside = { request_id, phone_number: contract.number(), code }
      assert.strictEqual((await check(beside)).status, 200)
    },
  ),
  proves(
    "check with a purpose",
    "another purpose is not found, and costs no attempt",
    async (contract) => {
      for (const [own, given] of [
        ["login", "pay"],
        ["login", "logi"],
        [undefined, "login"],
      ]) {
        const { check, sent } = await checkOf(contract)(own === undefined ? {} : { purpose: own })
        const { code, id: request_id, number: phone_number } = sent
        const unknown = await check({ request_id: "vrf_unknown", code })
        for (const which of [{ request_id }, { phone_number }]) {
          for (const tried of [code, wrong(code)]) {
            const answer = await check({ ...which, code: tried, purpose: given })
            refuses(answer, 404)
            assert.strictEqual(answer.text, unknown.text)
          }
        }
        checkAnswers(await check({ request_id, code: wrong(code) }), request_id, { pending: 2 })
        const good = own === undefined ? { request_id, code } : { phone_number, code, purpose: own }
        assert.strictEqual((await check(good)).status, 200)
      }
    },
  ),
]

const ofSends: ReadonlyArray<ContractTest> = [
  proves(["verify: purpose", "check with a purpose"], "its bounds", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    for (const purpose of ["", "Login", "-a", "x".repeat(33), 1]) {
      faults(await organization.verify(number, { purpose }), 400, "purpose")
      const body = { request_id: "vrf_unknown", code: "1", purpose }
      faults(await organization.post("/verify/check", body), 400, "purpose")
    }
    for (const purpose of ["0", "pay_bill.v2-x", "x".repeat(32)]) {
      const { id } = await organization.sendCode(undefined, { purpose })
      const { body } = await organization.state(id)
      assert.strictEqual(member(body, "data", "purpose"), purpose)
    }
  }),
  proves("verify: metadata", "any JSON object comes back as it was", async (contract) => {
    const organization = await contract.organization()
    for (const metadata of [
      {},
      { account: "a-17", tries: [1, -2.5, null, true, { deep: [[]] }] },
      { "": "", বাংলা: "হ্যালো 😀", "\u0000": "\u0000 \ud83d", "a.b": 1 },
      { a: "x".repeat(1_016) },
    ]) {
      const { id } = await organization.sendCode(undefined, { metadata })
      const { body } = await organization.state(id)
      assert.deepStrictEqual(member(body, "data", "metadata"), metadata)
    }
  }),
  proves("verify: metadata", "at most 1,024 bytes, and an object", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    for (const metadata of [
      { a: "x".repeat(1_017) },
      { a: `x${"é".repeat(508)}` },
      [],
      "{}",
      null,
    ]) {
      faults(await organization.verify(number, { metadata }), 400, "metadata")
    }
    const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`
    const body = `{"phone_number":"${number}","metadata":${deep}}`
    faults(await organization.request("POST", "/verify", body), 400, "metadata")
    assert.deepStrictEqual(await organization.log(), [])
  }),
  provesOverTime("verify: payment", "the text names it, every time", async (contract) => {
    const organization = await contract.organization()
    for (const locale of ["en-us", "bn-bd"]) {
      const payment = { amount: "৳ ৫০০", payee: "রহিম Store", more: 1 }
      const { id, number } = await organization.sendCode(undefined, { payment, locale })
      const text = await contract.textTo(number)
      assert.include(text, payment.amount)
      assert.include(text, payment.payee)
      contract.advanceSeconds(30)
      assert.strictEqual((await organization.resend(id)).status, 200)
      assert.strictEqual(await contract.textTo(number), text)
    }
  }),
  proves("verify: payment", "its bounds", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    const good = { amount: "1", payee: "x".repeat(64) }
    for (const payment of [
      { amount: "1" },
      { ...good, amount: "" },
      { ...good, amount: 1 },
      { ...good, payee: "x".repeat(65) },
      "500",
    ]) {
      faults(await organization.verify(number, { payment }), 400, "payment")
    }
    assert.strictEqual((await organization.verify(number, { payment: good })).status, 200)
  }),
  proves(
    ["verify: purpose", "verify: metadata", "verify: payment", "4.4 success"],
    "the answer to the send is the same with them",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      const payment = { amount: "1", payee: "x" }
      const members = { purpose: "pay", metadata: { a: 1 }, payment }
      const answer = await organization.verify(number, members)
      answers(answer, {
        success: true,
        data: {
          request_id: member(answer.body, "data", "request_id"),
          to: number,
          channel: "sms",
          status: "pending",
          expires_in: 300,
        },
      })
    },
  ),
]

export const requestContent: ReadonlyArray<ContractTest> = [...ofChecks, ...ofSends]
