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
  wrong,
} from "./support.ts"

/** The success response, verified now or at the given time. */
const verified = (
  contract: Contract,
  sent: { readonly id: string; readonly number: string },
  at = contract.subject.now(),
) => ({
  success: true,
  data: {
    request_id: sent.id,
    to: sent.number,
    status: "verified",
    verified_at: new Date(at).toISOString(),
  },
})

export const checkCode: ReadonlyArray<ContractTest> = [
  proves(
    ["3.1 pending → verified", "4.5 success", "4.5 rule 1", "2.5 verification request"],
    "the right code",
    async (contract) => {
      const organization = await contract.organization()
      const sent = await organization.sendCode()
      answers(await organization.check(sent.id, sent.code), verified(contract, sent))
    },
  ),
  proves(
    ["3.1 pending → pending", "7 check 400", "4.5 rule 2", "8 wrong-code attempts"],
    "wrong codes leave two attempts, then one, and the right code still counts",
    async (contract) => {
      const organization = await contract.organization()
      const sent = await organization.sendCode()
      for (const left of [2, 1]) {
        const answer = await organization.check(sent.id, wrong(sent.code))
        checkAnswers(answer, sent.id, { pending: left })
      }
      answers(await organization.check(sent.id, sent.code), verified(contract, sent))
    },
  ),
  proves(
    [
      "3.1 pending → failed",
      "3.1 failed → failed",
      "4.5 rule 3",
      "7 check 429",
      "verification: 429 or 410",
    ],
    "the third wrong code fails the request with 429, and the right code comes too late",
    async (contract) => {
      const organization = await contract.organization()
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
    ["3.1 verified → verified", "4.5 rule 5", "verification: repeated check"],
    "any code after the right one gets the success again, and uses nothing up",
    async (contract) => {
      const organization = await contract.organization()
      const sent = await organization.sendCode()
      const first = await organization.check(sent.id, sent.code)
      contract.advanceSeconds(7)
      for (const code of [sent.code, wrong(sent.code), "x", wrong(sent.code)]) {
        const again = await organization.check(sent.id, code)
        assert.strictEqual(again.status, 200)
        assert.strictEqual(again.text, first.text)
      }
    },
  ),
  provesOverTime(
    [
      "3.1 pending → expired",
      "3.1 expired → expired",
      "4.5 rule 4",
      "7 check 410",
      "verification: expired",
      "verification: 429 or 410",
    ],
    "an expired request answers 410 to any code, and never becomes failed",
    async (contract) => {
      const organization = await contract.organization()
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
    ["4.5 rule 7", "7 check 404", "1 scope", "5 scope"],
    "a request of another organization answers 404, byte-equal to one that does not exist",
    async (contract) => {
      const organization = await contract.organization()
      const other = await contract.organization()
      const sent = await organization.sendCode()
      const unknown = await other.check(`${sent.id.slice(0, -1)}x`, sent.code)
      refuses(unknown, 404)
      for (const code of [sent.code, wrong(sent.code), wrong(sent.code), wrong(sent.code)]) {
        const foreign = await other.check(sent.id, code)
        assert.strictEqual(foreign.status, 404)
        assert.strictEqual(foreign.text, unknown.text)
      }
      // The check has not used an attempt of the owner either.
      answers(await organization.check(sent.id, sent.code), verified(contract, sent))
    },
  ),
  proves(["4.5 rule 7", "4.5 request_id"], "ids that were never issued", async (contract) => {
    const organization = await contract.organization()
    const { code, id } = await organization.sendCode()
    for (const unknown of [
      id.toUpperCase(),
      `${id}\u0000`,
      "' OR '1'='1",
      "x".repeat(10_000),
      "\ud83d",
    ]) {
      refuses(await organization.check(unknown, code), 404)
    }
  }),
  proves(
    ["4.5 code", "requests: code"],
    "every string of 1 to 32 characters is compared, and costs an attempt when it is wrong",
    async (contract) => {
      const organization = await contract.organization()
      const sent = await organization.sendCode()
      for (const odd of [`${sent.code}x`, " ", "\u0000", "\ud83d", "9".repeat(32)]) {
        const { code, id } = await organization.sendCode()
        // The same malformation, applied to this code.
        const tried = await organization.check(id, odd.replace(sent.code, code))
        checkAnswers(tried, id, { pending: 2 })
      }
    },
  ),
  proves(
    ["4.5 code", "verification: typed code"],
    "white space, hyphens and invisible characters in a code are removed before it is compared",
    async (contract) => {
      const organization = await contract.organization()
      for (const by of [" ", "-", "\u200b"]) {
        const sent = await organization.sendCode()
        const typed = `${by}${sent.code.slice(0, 3)}${by}${sent.code.slice(3)}${by}`
        answers(await organization.check(sent.id, typed), verified(contract, sent))
        const next = await organization.sendCode()
        const tried = await organization.check(next.id, `${by}${wrong(next.code)}`)
        checkAnswers(tried, next.id, { pending: 2 })
      }
    },
  ),
  proves(
    ["4.5 code", "4.5 request_id", "requests: code"],
    "what cannot be compared is a validation error, and costs no attempt",
    async (contract) => {
      const organization = await contract.organization()
      const sent = await organization.sendCode()
      const check = (body: object) => organization.post("/verify/check", body)
      const request_id = sent.id
      for (const code of ["", "1".repeat(33), Number(sent.code), null, undefined]) {
        faults(await check({ request_id, code }), 400, "code")
      }
      for (const odd of [undefined, null, 1]) {
        faults(await check({ request_id: odd, code: sent.code }), 400, "request_id")
      }
      faults(await check({}), 400, "request_id", "code")
      const first = await organization.check(sent.id, wrong(sent.code))
      checkAnswers(first, sent.id, { pending: 2 })
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
  proves("8 wrong-code attempts", "a host may give more attempts, or fewer", async (contract) => {
    const strict = await contract.organization({ settings: { limits: { attempts: 1 } } })
    const sent = await strict.sendCode()
    checkAnswers(await strict.check(sent.id, wrong(sent.code)), sent.id, "failed")
    checkAnswers(await strict.check(sent.id, sent.code), sent.id, "failed")
  }),
  proves(
    ["4.5 rule 1", "verification: repeated check", "additions: Countersign-First"],
    "twelve right codes at once verify it once, and one answer says that it was the first",
    async (contract) => {
      const organization = await contract.organization()
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
