/**
 * `POST /verify/check`: the state table, row by row, and its rules.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  atOnce,
  checkAnswers,
  type Contract,
  type ContractTest,
  eventually,
  faults,
  proves,
  provesOverTime,
  refuses,
  type Sent,
  wrong,
} from "./support.ts"

/** The success response, verified at this moment. */
const verified = (contract: Contract, sent: Sent): object => ({
  success: true,
  data: {
    request_id: sent.id,
    to: sent.number,
    status: "verified",
    verified_at: new Date(contract.subject.now()).toISOString(),
  },
})

export const checkCode: ReadonlyArray<ContractTest> = [
  provesOverTime(
    [
      "3.1, 4.5, 7 wrong code",
      "3.1, 4.5 right code",
      "3.1, 4.5 verified",
      "2.5, 3.1, 4.4 sent",
      "8 wrong-code attempts",
      "verification: repeated check",
    ],
    "wrong codes leave two attempts, then one; after the right one, any code gets the success again",
    async (contract, organization) => {
      const sent = await organization.sendCode()
      for (const left of [2, 1]) {
        const answer = await organization.check(sent.id, wrong(sent.code))
        checkAnswers(answer, sent.id, { pending: left })
      }
      const first = await organization.check(sent.id, sent.code)
      answers(first, verified(contract, sent))
      contract.advanceSeconds(7)
      for (const code of [sent.code, wrong(sent.code), "x", wrong(sent.code)]) {
        const again = await organization.check(sent.id, code)
        assert.deepStrictEqual([again.status, again.text], [200, first.text])
      }
    },
  ),
  proves(
    ["3.1, 4.5, 7 failed", "verification: 429 or 410"],
    "the third wrong code fails the request with 429, and the right code comes too late",
    async (_, organization) => {
      const { code, id } = await organization.sendCode()
      for (const left of [2, 1]) {
        checkAnswers(await organization.check(id, wrong(code)), id, { pending: left })
      }
      for (const late of [wrong(code), code, "x"]) {
        checkAnswers(await organization.check(id, late), id, "failed")
      }
    },
  ),
  provesOverTime(
    ["3.1, 4.5, 7 expired", "verification: 429 or 410"],
    "an expired request answers 410 to any code, and never becomes failed",
    async (contract, organization) => {
      const { code, id } = await organization.sendCode(undefined, { expiry: 60 })
      contract.subject.advance(59_999)
      checkAnswers(await organization.check(id, wrong(code)), id, { pending: 2 })
      contract.subject.advance(1)
      for (const tried of [code, wrong(code), wrong(code), wrong(code), code]) {
        checkAnswers(await organization.check(id, tried), id, "expired")
      }
    },
  ),
  proves(
    ["4.5 code", "requests: code", "verification: typed code"],
    "every string of 1 to 32 characters is compared, without its white space and hyphens",
    async (contract, organization) => {
      const sent = await organization.sendCode()
      for (const odd of [`${sent.code}x`, " ", "\u0000", "\ud83d", "9".repeat(32)]) {
        const { code, id } = await organization.sendCode()
        // The same malformation, applied to this code.
        const tried = await organization.check(id, odd.replace(sent.code, code))
        checkAnswers(tried, id, { pending: 2 })
      }
      const typed = ` ${sent.code.slice(0, 3)}-${sent.code.slice(3)}\u200b`
      answers(await organization.check(sent.id, typed), verified(contract, sent))
    },
  ),
  proves(
    ["4.5 code", "4.5 request_id", "4.5 rule 7, 7 check 404", "requests: code"],
    "what cannot be compared is a validation error, an odd id is unknown, and neither costs an attempt",
    async (_, organization) => {
      const { code: right, id: request_id } = await organization.sendCode()
      const check = (body: object) => organization.post("/verify/check", body)
      for (const code of ["", "1".repeat(33), Number(right), null, undefined]) {
        faults(await check({ request_id, code }), 400, "code")
      }
      for (const odd of [undefined, null, 1]) {
        faults(await check({ request_id: odd, code: right }), 400, "request_id")
      }
      faults(await check({}), 400, "request_id", "code")
      for (const odd of [`${request_id}\u0000`, "' OR '1'='1", "x".repeat(10_000), "\ud83d"]) {
        refuses(await organization.check(odd, right), 404)
      }
      const first = await organization.check(request_id, wrong(right))
      checkAnswers(first, request_id, { pending: 2 })
    },
  ),
  proves(
    "4.5 rule 6",
    "the answer does not tell how much of a code was right",
    async (contract) => {
      const organization = await contract.organization({ settings: { limits: { attempts: 20 } } })
      const { code, id } = await organization.sendCode(undefined, { code_length: 10 })
      // Time is not measured here. A test in core proves that the comparison takes constant time.
      for (let right = 0; right < 10; right++) {
        const digit = String((Number(code.charAt(right)) + 1) % 10)
        const tried = `${code.slice(0, right)}${digit}${code.slice(right + 1)}`
        checkAnswers(await organization.check(id, tried), id, { pending: 19 - right })
      }
    },
  ),
  proves(
    ["3.1, 4.5 right code", "verification: repeated check", "additions: Countersign-First"],
    "twelve right codes at once verify it once, and one answer says that it was the first",
    async (contract, organization) => {
      const sent = await organization.sendCode()
      const given = await atOnce(12, () => organization.check(sent.id, sent.code))
      for (const answer of given) answers(answer, verified(contract, sent))
      const again = await organization.check(sent.id, wrong(sent.code))
      const first = [...given, again].map(({ headers }) => headers.get("countersign-first"))
      assert.deepStrictEqual(
        first.filter((value) => value !== null),
        ["true"],
      )
      assert.isNull(again.headers.get("countersign-first"))
      await eventually(() => assert.include(organization.host.eventsOf(sent.id), "Verified"))
      assert.deepStrictEqual(organization.host.eventsOf(sent.id), ["VerificationSent", "Verified"])
    },
  ),
]
