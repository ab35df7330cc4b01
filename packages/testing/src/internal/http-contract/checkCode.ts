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
  member,
  type Organization,
  proves,
  provesOverTime,
  refuses,
  tally,
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

/** A request without remaining attempts. */
const failedRequest = async (organization: Organization, members?: object) => {
  const sent = await organization.sendCode(undefined, members)
  for (const left of [2, 1]) {
    checkAnswers(await organization.check(sent.id, wrong(sent.code)), sent.id, { pending: left })
  }
  checkAnswers(await organization.check(sent.id, wrong(sent.code)), sent.id, "failed")
  return sent
}

export const checkCode: ReadonlyArray<ContractTest> = [
  proves(
    ["3.1 pending → verified", "4.5 success", "4.5 rule 1", "2.5 verification request"],
    "the right code",
    async (contract) => {
      const organization = await contract.organization()
      for (const members of [{}, { channel: "whatsapp" }, { locale: "bn-bd", code_length: 10 }]) {
        const sent = await organization.sendCode(undefined, members)
        answers(await organization.check(sent.id, sent.code), verified(contract, sent))
      }
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
    ["3.1 pending → failed", "4.5 rule 3", "7 check 429", "verification: 429 or 410"],
    "the third wrong code fails the request with 429",
    async (contract) => {
      await failedRequest(await contract.organization())
    },
  ),
  proves("3.1 failed → failed", "the right code comes too late, always", async (contract) => {
    const organization = await contract.organization()
    const { code, id } = await failedRequest(organization)
    for (const late of [code, wrong(code), "x", code]) {
      checkAnswers(await organization.check(id, late), id, "failed")
    }
  }),
  proves(
    ["3.1 verified → verified", "4.5 rule 5", "verification: repeated check"],
    "any code after the right one gets the success again, and uses nothing up",
    async (contract) => {
      const organization = await contract.organization()
      const sent = await organization.sendCode()
      const first = await organization.check(sent.id, sent.code)
      for (const code of [sent.code, wrong(sent.code), "x", wrong(sent.code), wrong(sent.code)]) {
        const again = await organization.check(sent.id, code)
        assert.strictEqual(again.status, 200)
        assert.strictEqual(again.text, first.text)
      }
    },
  ),
  provesOverTime(
    ["verification: repeated check", "4.5 rule 5"],
    "verified_at is when it was verified first, and there is one event",
    async (contract) => {
      const organization = await contract.organization()
      const sent = await organization.sendCode()
      contract.advanceSeconds(7)
      const at = contract.subject.now()
      answers(await organization.check(sent.id, sent.code), verified(contract, sent, at))
      contract.advanceSeconds(11)
      answers(await organization.check(sent.id, sent.code), verified(contract, sent, at))
      const next = await organization.sendCode()
      answers(await organization.check(next.id, next.code), verified(contract, next))
      // Events arrive in order. When the later request's event is there, so are all of the earlier one.
      await eventually(() => assert.include(organization.host.eventsOf(next.id), "Verified"))
      assert.deepStrictEqual(organization.host.eventsOf(sent.id), ["VerificationSent", "Verified"])
    },
  ),
  provesOverTime(
    ["3.1 pending → expired", "4.5 rule 4", "7 check 410", "verification: expired"],
    "a request can be verified until the last millisecond, and has expired with the next",
    async (contract) => {
      const organization = await contract.organization()
      const requests = await Promise.all(
        [60, 300, 3600].map(async (expiry) => ({
          expiry,
          sent: await atOnce(4, () => organization.sendCode(undefined, { expiry })),
        })),
      )
      let passed = 0
      const advanceTo = (millis: number) => {
        contract.subject.advance(millis - passed)
        passed = millis
      }
      for (const { expiry, sent } of requests) {
        const [inTime, wrongInTime, late, later] = sent
        assert(inTime && wrongInTime && late && later)
        advanceTo(expiry * 1_000 - 1)
        answers(await organization.check(inTime.id, inTime.code), verified(contract, inTime))
        const tried = await organization.check(wrongInTime.id, wrong(wrongInTime.code))
        checkAnswers(tried, wrongInTime.id, { pending: 2 })
        advanceTo(expiry * 1_000)
        checkAnswers(await organization.check(late.id, late.code), late.id, "expired")
        advanceTo(expiry * 1_000 + 1)
        checkAnswers(await organization.check(later.id, later.code), later.id, "expired")
        const { code, id } = wrongInTime
        checkAnswers(await organization.check(id, code), id, "expired")
      }
    },
  ),
  provesOverTime(
    ["3.1 expired → expired", "4.5 rule 4", "verification: 429 or 410"],
    "an expired request answers 410 to any code, ever after, and never becomes failed",
    async (contract) => {
      const organization = await contract.organization()
      const { code, id } = await organization.sendCode(undefined, { expiry: 60 })
      contract.advanceSeconds(60)
      for (const tried of [code, wrong(code), wrong(code), wrong(code), wrong(code), "x", code]) {
        checkAnswers(await organization.check(id, tried), id, "expired")
        contract.advanceSeconds(3600)
      }
    },
  ),
  provesOverTime(
    ["verification: expired", "3.1 verified → verified", "3.1 failed → failed"],
    "verified and failed requests stay what they are when their time is over",
    async (contract) => {
      const organization = await contract.organization()
      const good = await organization.sendCode(undefined, { expiry: 60 })
      const at = contract.subject.now()
      await organization.check(good.id, good.code)
      const bad = await failedRequest(organization, { expiry: 60 })
      const last = await organization.sendCode(undefined, { expiry: 60 })
      await organization.check(last.id, wrong(last.code))
      for (const seconds of [60, 1, 86_400]) {
        contract.advanceSeconds(seconds)
        for (const code of [good.code, wrong(good.code)]) {
          answers(await organization.check(good.id, code), verified(contract, good, at))
        }
        checkAnswers(await organization.check(bad.id, bad.code), bad.id, "failed")
        checkAnswers(await organization.check(last.id, last.code), last.id, "expired")
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
      ` ${id}`,
      `${id} `,
      `${id}\u0000`,
      "\u0000",
      "../../etc/passwd",
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
      for (const odd of [
        `0${sent.code}`,
        `${sent.code}x`,
        `${sent.code} x`,
        sent.code.slice(0, -1),
        `+${sent.code}`,
        `${sent.code}.0`,
        "x",
        " ",
        "   ",
        "-",
        "\u200b",
        "\u0000",
        "\ud83d",
        "😀".repeat(16),
        "9".repeat(32),
        "null",
      ]) {
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
      for (const by of [" ", "-", "\n", "\u00a0", "\u200b", "\u2011", "\u2013", "\u2212"]) {
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
      for (const code of [
        "",
        "1".repeat(33),
        Number(sent.code),
        123456,
        null,
        true,
        [sent.code],
        {},
      ]) {
        faults(await check({ request_id, code }), 400, "code")
      }
      faults(await check({ request_id }), 400, "code")
      for (const odd of [undefined, null, 1, true, [sent.id], {}]) {
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
    ["4.5 rule 2", "4.5 rule 3", "3.1 pending → failed"],
    "twelve wrong codes at once: two attempts left, one left, and ten times failed",
    async (contract) => {
      const organization = await contract.organization()
      const { code, id } = await organization.sendCode()
      const given = await atOnce(12, () => organization.check(id, wrong(code)))
      assert.deepStrictEqual(tally(given), { 400: 2, 429: 10 })
      const left = given.map(({ body }) => member(body, "data", "attempts_remaining"))
      const known = left.filter((attempts) => attempts !== undefined)
      assert.sameMembers(known, [2, 1])
      for (const answer of given) if (answer.status === 429) checkAnswers(answer, id, "failed")
      checkAnswers(await organization.check(id, code), id, "failed")
    },
  ),
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
  proves("3.1 pending → verified", "each request has its own code", async (contract) => {
    const organization = await contract.organization()
    const number = contract.number()
    const first = await organization.sendCode(number, { code_length: 10 })
    const second = await organization.sendCode(number, { code_length: 10 })
    checkAnswers(await organization.check(first.id, second.code), first.id, { pending: 2 })
    answers(await organization.check(second.id, second.code), verified(contract, second))
    answers(await organization.check(first.id, first.code), verified(contract, first))
  }),
]
