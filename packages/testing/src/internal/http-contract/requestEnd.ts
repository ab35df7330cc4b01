/**
 * `POST /verify/{request_id}/cancel` and `/consume`: how a request ends, and what it refuses then.
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

export const requestEnd: ReadonlyArray<ContractTest> = [
  proves(
    "cancel 200",
    "a pending request has failed from then on; a body is not read",
    async (_, organization) => {
      const { code, id } = await organization.sendCode()
      for (const body of [undefined, "{}", "{", "[]"]) {
        const answer = await organization.request("POST", `/verify/${id}/cancel`, body)
        answers(answer, cancelled(id))
      }
      checkAnswers(await organization.check(id, code), id, "failed")
    },
  ),
  provesOverTime(
    [
      "resend 409 and 429 failed",
      "resend, cancel, consume 410",
      "cancel 409",
      "consume 409 and 429",
    ],
    "what a request refuses in each state",
    async (contract, organization) => {
      const expiring = { expiry: 60 }
      const { code, id: pending } = await organization.sendCode(undefined, expiring)
      conflicts(await organization.consume(pending), pending, "pending", "not_verified")
      const failed = await organization.failed(undefined, expiring)
      const { id: verified } = await organization.verified(undefined, expiring)
      contract.advanceSeconds(60)
      for (const call of ["resend", "cancel", "consume"] as const) {
        checkAnswers(await organization[call](pending), pending, "expired")
        if (call === "cancel") answers(await organization.cancel(failed.id), cancelled(failed.id))
        else checkAnswers(await organization[call](failed.id), failed.id, "failed")
      }
      checkAnswers(await organization.check(pending, code), pending, "expired")
      for (const call of ["resend", "cancel"] as const) {
        const answer = await organization[call](verified)
        conflicts(answer, verified, "verified", "already_verified")
      }
      assert.strictEqual((await organization.consume(verified)).status, 200)
      conflicts(await organization.cancel(verified), verified, "verified", "already_verified")
      conflicts(await organization.consume(verified), verified, "verified", "already_consumed")
      assert.strictEqual(await contract.messageCount(failed.number), 1)
    },
  ),
  provesOverTime(
    "consume 200",
    "the number, with a proof of it",
    async (contract, organization) => {
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
      const claims = { requestId: id, phoneNumber: number, ...members, verifiedAt, consumedAt }
      assert.deepInclude(claimsOf(answer.body), claims)
    },
  ),
  proves("consume 200", "without a body, and without a purpose", async (_, organization) => {
    const { id, number } = await organization.verified()
    const answer = await organization.request("POST", `/verify/${id}/consume`)
    assert.deepInclude(member(answer.body, "data"), { purpose: null, metadata: null }, answer.text)
    const claims = claimsOf(answer.body)
    assert.deepInclude(claims, { phoneNumber: number, purpose: null })
    assert.notProperty(claims, "audience")
  }),
  proves(
    ["consume 400", "consume 404", "check with a purpose"],
    "what is no purpose or no audience, and another purpose",
    async (_, organization) => {
      const { id } = await organization.verified(undefined, { purpose: "login" })
      for (const [name, value] of [
        ["purpose", "Log in"],
        ["purpose", 1],
        ["audience", ""],
        ["audience", "x".repeat(201)],
      ] as const) {
        faults(await organization.consume(id, { [name]: value }), 400, name)
      }
      faults(await organization.request("POST", `/verify/${id}/consume`, "[]"), 400)
      const other = await organization.consume(id, { purpose: "pay" })
      refuses(other, 404)
      assert.strictEqual(other.text, (await organization.consume("vrf_unknown")).text)
      const longest = { audience: "x".repeat(200) }
      assert.strictEqual((await organization.consume(id, longest)).status, 200)
    },
  ),
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
    async (_, organization) => {
      const { code, id } = await organization.sendCode()
      await organization.useUpChecks()
      limits(await organization.check(id, code))
      assert.strictEqual((await organization.state(id)).status, 200)
      assert.strictEqual((await organization.cancel(id)).status, 200)
    },
  ),
]
