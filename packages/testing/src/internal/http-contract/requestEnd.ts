/**
 * `POST /verify/{request_id}/cancel` and `/consume`: how a request ends.
 */
import { assert } from "@effect/vitest"
import { publicKeys } from "./engine.ts"
import {
  answers,
  checkAnswers,
  conflicts,
  type ContractTest,
  faults,
  limits,
  member,
  proves,
  provesOverTime,
  refuses,
  textAt,
} from "./support.ts"

const cancelled = (id: string) => ({ success: true, data: { request_id: id, status: "failed" } })

/** The claims of the proof, which the signer of the contract does not encode. */
const claimsOf = (body: unknown): unknown => JSON.parse(textAt(body, "data", "proof"))

const ofCancel: ReadonlyArray<ContractTest> = [
  proves("cancel 200", "a pending request has failed from then on", async (contract) => {
    const organization = await contract.organization()
    const { code, id } = await organization.sendCode()
    const first = await organization.cancel(id)
    answers(first, cancelled(id))
    assert.strictEqual((await organization.cancel(id)).text, first.text)
    checkAnswers(await organization.check(id, code), id, "failed")
    const failed = await organization.failed()
    answers(await organization.cancel(failed.id), cancelled(failed.id))
  }),
  proves("cancel 200", "a body is not read", async (contract) => {
    const organization = await contract.organization()
    const { id } = await organization.sendCode()
    const path = `/verify/${id}/cancel`
    for (const body of ["{}", "{", "[]"]) {
      answers(await organization.request("POST", path, body), cancelled(id))
    }
  }),
  proves("cancel 409", "a verified request stays verified", async (contract) => {
    const organization = await contract.organization()
    const { code, id } = await organization.verified()
    conflicts(await organization.cancel(id), id, "verified", "already_verified")
    assert.strictEqual((await organization.check(id, code)).status, 200)
    await organization.consume(id)
    conflicts(await organization.cancel(id), id, "verified", "already_verified")
  }),
  provesOverTime("cancel 410", "an expired request stays expired", async (contract) => {
    const organization = await contract.organization()
    const { code, id } = await organization.sendCode(undefined, { expiry: 60 })
    contract.advanceSeconds(60)
    checkAnswers(await organization.cancel(id), id, "expired")
    checkAnswers(await organization.check(id, code), id, "expired")
  }),
]

const ofConsume: ReadonlyArray<ContractTest> = [
  provesOverTime("consume 200", "the number, with a proof of it", async (contract) => {
    const organization = await contract.organization()
    const metadata = { account: "a-17", tries: [1, null] }
    const own = { purpose: "login", metadata }
    const { id, number } = await organization.verified(undefined, own)
    const verifiedAt = contract.subject.now()
    // It stays verified after its expiry.
    contract.advanceSeconds(3600)
    const consumedAt = contract.subject.now()
    const members = { purpose: "login", audience: "https://shop.example" }
    const answer = await organization.consume(id, members)
    answers(answer, {
      success: true,
      data: {
        request_id: id,
        to: number,
        status: "verified",
        verified_at: new Date(verifiedAt).toISOString(),
        consumed_at: new Date(consumedAt).toISOString(),
        ...own,
        proof: member(answer.body, "data", "proof"),
      },
    })
    assert.deepInclude(claimsOf(answer.body), {
      requestId: id,
      phoneNumber: number,
      ...members,
      verifiedAt,
      consumedAt,
    })
    conflicts(await organization.consume(id, members), id, "verified", "already_consumed")
  }),
  proves("consume 200", "without a body, and without a purpose", async (contract) => {
    const organization = await contract.organization()
    const { id, number } = await organization.verified()
    const answer = await organization.request("POST", `/verify/${id}/consume`)
    assert.strictEqual(answer.status, 200, answer.text)
    assert.isNull(member(answer.body, "data", "purpose"))
    assert.isNull(member(answer.body, "data", "metadata"))
    const claims = claimsOf(answer.body)
    assert.deepInclude(claims, { phoneNumber: number, purpose: null })
    assert.notProperty(claims, "audience")
  }),
  proves("consume 400", "what is no purpose or no audience", async (contract) => {
    const organization = await contract.organization()
    const { id } = await organization.verified()
    for (const purpose of ["", "Log in", 1]) {
      faults(await organization.consume(id, { purpose }), 400, "purpose")
    }
    for (const audience of ["", "x".repeat(201), 1]) {
      faults(await organization.consume(id, { audience }), 400, "audience")
    }
    faults(await organization.request("POST", `/verify/${id}/consume`, "[]"), 400)
    const longest = { audience: "x".repeat(200) }
    assert.strictEqual((await organization.consume(id, longest)).status, 200)
  }),
  proves(["consume 404", "check with a purpose"], "another purpose", async (contract) => {
    const organization = await contract.organization()
    const named = await organization.verified(undefined, { purpose: "login" })
    const unnamed = await organization.verified()
    const unknown = await organization.consume("vrf_unknown")
    refuses(unknown, 404)
    for (const { id } of [named, unnamed]) {
      const other = await organization.consume(id, { purpose: "pay" })
      assert.strictEqual(other.text, unknown.text)
      refuses(other, 404)
    }
    assert.strictEqual((await organization.consume(named.id)).status, 200)
    assert.strictEqual((await organization.consume(unnamed.id)).status, 200)
  }),
  provesOverTime(
    ["consume 409", "consume 410", "consume 429"],
    "requests that are not verified",
    async (contract) => {
      const organization = await contract.organization()
      const { code, id } = await organization.sendCode(undefined, { expiry: 60 })
      conflicts(await organization.consume(id), id, "pending", "not_verified")
      const failed = await organization.failed()
      checkAnswers(await organization.consume(failed.id), failed.id, "failed")
      contract.advanceSeconds(60)
      checkAnswers(await organization.consume(id), id, "expired")
      checkAnswers(await organization.check(id, code), id, "expired")
      checkAnswers(await organization.consume(failed.id), failed.id, "failed")
    },
  ),
]

export const requestEnd: ReadonlyArray<ContractTest> = [
  ...ofCancel,
  ...ofConsume,
  proves("jwks.json", "the keys, without a key, never cached", async (contract) => {
    const response = await fetch(`${contract.baseUrl}/jwks.json`)
    assert.strictEqual(response.status, 200)
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
    assert.strictEqual(response.headers.get("cache-control"), "no-store")
    assert.deepStrictEqual(await response.json(), { keys: [...publicKeys] })
  }),
  proves(
    "order of a request's endpoints",
    "the limit on checks does not apply to a resend, an end or a state",
    async (contract) => {
      const organization = await contract.organization()
      const { code, id } = await organization.sendCode()
      await organization.useUpChecks()
      limits(await organization.check(id, code))
      assert.strictEqual((await organization.state(id)).status, 200)
      assert.strictEqual((await organization.cancel(id)).status, 200)
    },
  ),
]
