/**
 * Rate limits and limits on pending requests.
 */
import { assert } from "@effect/vitest"
import {
  answers,
  type Answer,
  atOnce,
  checkAnswers,
  type ContractTest,
  faults,
  inTurn,
  limits,
  member,
  proves,
  provesOverTime,
  refuses,
  tally,
  wrong,
} from "./support.ts"

/**
 * Checks for a rejection because of five pending requests. Only the header contains the seconds until one
 * expires.
 */
const tooManyPending = (answer: Answer): number => {
  refuses(answer, 429)
  const wait = answer.headers.get("retry-after") ?? ""
  assert.match(wait, /^[1-9]\d*$/, answer.text)
  return Number(wait)
}

export const windows: ReadonlyArray<ContractTest> = [
  provesOverTime(
    [
      "8 send-code requests",
      "7 verify 429 rate",
      "verification: rate limit",
      "access: Retry-After",
    ],
    "the eleventh request in 60 seconds learns how long to wait, and gets through after exactly that",
    async (contract) => {
      const organization = await contract.organization()
      // The carrier rejects it, so no request is pending.
      const number = contract.special("refused")
      for (let sent = 0; sent < 10; sent++) {
        refuses(await organization.verify(number), 500)
        contract.subject.advance(950)
      }
      // The first request was at 0 ms, and now it is 9,500 ms. 50,500 ms remain, which is 51 whole seconds.
      assert.strictEqual(limits(await organization.verify(number)), 51)
      contract.advanceSeconds(50)
      assert.strictEqual(limits(await organization.verify(number)), 1)
      contract.advanceSeconds(1)
      refuses(await organization.verify(number), 500)
    },
  ),
  provesOverTime(
    ["verification: rate limit", "8 send-code requests"],
    "the limit holds in every window of 60 seconds, not in every minute of the clock",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.special("refused")
      const send = () => organization.verify(number)
      // Shortly before and shortly after the end of a clock minute.
      contract.subject.advance(60_000 - (contract.subject.now() % 60_000) + 59_000)
      refuses(await send(), 500)
      contract.subject.advance(900)
      for (let sent = 0; sent < 9; sent++) refuses(await send(), 500)
      contract.subject.advance(100)
      assert.strictEqual(limits(await send()), 59)
      // 60 seconds after the first, one place is free; nine come free 900 ms later.
      contract.advanceSeconds(59)
      refuses(await send(), 500)
      assert.strictEqual(limits(await send()), 1)
      contract.subject.advance(899)
      assert.strictEqual(limits(await send()), 1)
      contract.subject.advance(1)
      assert.deepStrictEqual(tally(await inTurn(9, send)), { 500: 9 })
      assert.strictEqual(limits(await send()), 60)
    },
  ),
  provesOverTime(
    "verification: rate limit",
    "what the limit itself refused is not counted",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.special("refused")
      const send = () => organization.verify(number)
      assert.deepStrictEqual(tally(await inTurn(10, send)), { 500: 10 })
      contract.advanceSeconds(59)
      assert.deepStrictEqual(tally(await inTurn(10, send)), { 429: 10 })
      contract.advanceSeconds(1)
      assert.deepStrictEqual(tally(await inTurn(11, send)), { 500: 10, 429: 1 })
    },
  ),
  proves(
    ["verification: rate limit", "8 send-code requests"],
    "what passed validation counts, with any outcome: 402, 500, 429 for pending, not on WhatsApp",
    async (contract) => {
      const organization = await contract.organization({ balance: "0" })
      const poor = contract.number()
      for (const answer of await inTurn(10, () => organization.verify(poor))) {
        refuses(answer, 402, { required: 0.5, available: 0 })
      }
      limits(await organization.verify(poor))
      await organization.host.topUp("100")
      limits(await organization.verify(poor))
      const refused = contract.special("refused")
      const failed = await inTurn(11, () => organization.verify(refused))
      assert.deepStrictEqual(tally(failed), { 500: 10, 429: 1 })
      const missing = contract.special("notOnWhatsApp")
      const whatsApp = () => organization.verify(missing, { channel: "whatsapp" })
      assert.deepStrictEqual(tally(await inTurn(11, whatsApp)), { 400: 10, 429: 1 })
    },
  ),
  proves(
    ["verification: rate limit", "order: refused guards"],
    "what did not pass validation does not count",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.special("refused")
      for (let tried = 0; tried < 4; tried++) {
        faults(await organization.verify(number, { expiry: 1 }), 400, "expiry")
        faults(await organization.verify(number, { brand_id: "unknown" }), 400, "brand_id")
        refuses(await organization.verify(number, {}, { key: null }), 401)
        const headers = { "content-type": "text/plain" }
        refuses(await organization.verify(number, {}, { headers }), 415)
      }
      const given = await inTurn(11, () => organization.verify(number))
      assert.deepStrictEqual(tally(given), { 500: 10, 429: 1 })
    },
  ),
  proves(
    ["8 send-code requests", "1 scope", "requests: spelling"],
    "the limit is of one number, however it is written, and of one organization",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.special("refused")
      const bangla = number.replace(/\d/g, (digit) => String.fromCharCode(0x09e6 + Number(digit)))
      assert.deepStrictEqual(tally(await inTurn(5, () => organization.verify(number))), { 500: 5 })
      assert.deepStrictEqual(tally(await inTurn(5, () => organization.verify(bangla))), { 500: 5 })
      limits(await organization.verify(number))
      limits(await organization.verify(bangla))
      limits(await organization.verify(number, { channel: "whatsapp" }))
      refuses(await organization.verify(contract.special("refused")), 500)
      refuses(await (await contract.organization()).verify(number), 500)
      // Plain messages do not count as codes.
      refuses(await organization.send(number), 500, { status: "failed" })
    },
  ),
  proves(
    ["8 pending verifications", "7 verify 429 pending"],
    "five requests may be pending for a number; another number and another organization have their own",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      for (const channel of ["sms", "whatsapp", "sms", "whatsapp", "sms"]) {
        await organization.sendCode(number, { channel })
      }
      tooManyPending(await organization.verify(number))
      tooManyPending(await organization.verify(number, { channel: "whatsapp" }))
      assert.strictEqual(await contract.messageCount(number), 5)
      assert.strictEqual(await organization.balance(), 98.5)
      await organization.sendCode()
      await (await contract.organization()).sendCode(number)
    },
  ),
  proves(
    "8 pending verifications",
    "a request that is verified or has failed makes room for one more",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      const [first, second] = await inTurn(5, () => organization.sendCode(number))
      assert(first && second)
      tooManyPending(await organization.verify(number))
      await organization.check(first.id, first.code)
      await organization.sendCode(number)
      tooManyPending(await organization.verify(number))
      for (const left of [2, 1]) {
        checkAnswers(await organization.check(second.id, wrong(second.code)), second.id, {
          pending: left,
        })
        tooManyPending(await organization.verify(number))
      }
      // That was the tenth request of this minute, so only a fresh phone number shows what a failure frees.
      checkAnswers(await organization.check(second.id, wrong(second.code)), second.id, "failed")
      const fresh = contract.number()
      const [third] = await inTurn(5, () => organization.sendCode(fresh, { code_length: 4 }))
      assert(third)
      for (let tried = 0; tried < 3; tried++) await organization.check(third.id, wrong(third.code))
      await organization.sendCode(fresh)
      tooManyPending(await organization.verify(fresh))
    },
  ),
  provesOverTime(
    ["8 pending verifications", "verification: expired"],
    "a request that expires makes room at that very moment",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      for (const expiry of [60, 120, 120, 120, 120]) await organization.sendCode(number, { expiry })
      assert.strictEqual(tooManyPending(await organization.verify(number)), 60)
      contract.subject.advance(59_999)
      assert.strictEqual(tooManyPending(await organization.verify(number)), 1)
      contract.subject.advance(1)
      await organization.sendCode(number)
      const wait = tooManyPending(await organization.verify(number))
      contract.advanceSeconds(wait)
      await organization.sendCode(number)
    },
  ),
  provesOverTime(
    ["8 pending verifications", "8 send-code requests", "additions: Retry-After"],
    "the wait for a place takes in the requests that were refused: after it, one is admitted",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      for (const expiry of [63, 120, 120, 120, 120]) await organization.sendCode(number, { expiry })
      contract.advanceSeconds(30)
      const waits = await inTurn(5, async () => tooManyPending(await organization.verify(number)))
      assert.deepStrictEqual(waits, [33, 33, 33, 33, 33])
      contract.advanceSeconds(30)
      const more = await inTurn(5, async () => tooManyPending(await organization.verify(number)))
      assert.deepStrictEqual(more, [3, 3, 3, 3, 30])
      contract.advanceSeconds(29)
      assert.strictEqual(limits(await organization.verify(number)), 1)
      contract.advanceSeconds(1)
      await organization.sendCode(number)
    },
  ),
  proves(
    ["8 pending verifications", "money: answer to unknown"],
    "a code of which it is unknown whether it was sent is pending",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.special("silent")
      const given = await atOnce(7, () => organization.verify(number))
      assert.deepStrictEqual(tally(given), { 200: 5, 429: 2 })
    },
  ),
  proves(
    ["8 send-code requests", "8 pending verifications", "8 check-code requests"],
    "two nodes share every limit",
    async (contract) => {
      const baseUrls = [contract.baseUrl, await contract.subject.serveFromAnotherNode()]
      const on = (index: number) => {
        const baseUrl = baseUrls[index % 2]
        return baseUrl === undefined ? {} : { baseUrl }
      }
      const organization = await contract.organization({ balance: "3" })
      const sent = await organization.sendCode()
      const wrongOnes = await atOnce(12, (index) =>
        organization.check(sent.id, wrong(sent.code), on(index)),
      )
      assert.deepStrictEqual(tally(wrongOnes), { 400: 2, 429: 10 })
      const checks = await atOnce(20, (index) => organization.check("vrf_unknown", "1", on(index)))
      assert.deepStrictEqual(tally(checks), { 404: 8, 429: 12 })
      const number = contract.number()
      const codes = await atOnce(40, (index) => organization.verify(number, {}, on(index)))
      assert.deepStrictEqual(tally(codes), { 200: 5, 429: 35 })
      assert.strictEqual(await organization.balance(), 0)
      assert.lengthOf(await organization.log(), 6)
    },
  ),
  proves(
    ["8 pending verifications", "8 send-code requests", "7 verify 429 pending"],
    "forty requests for one number at once: five are pending, ten are counted",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      const given = await atOnce(40, () => organization.verify(number))
      const refused = given.filter(({ status }) => status === 429)
      assert.deepStrictEqual(tally(given), { 200: 5, 429: 35 })
      const [limited, pending] = [
        refused.filter(({ body }) => member(body, "retry_after") !== undefined),
        refused.filter(({ body }) => member(body, "retry_after") === undefined),
      ]
      for (const answer of limited) assert.strictEqual(limits(answer), 60)
      for (const answer of pending) tooManyPending(answer)
      assert.deepStrictEqual([limited.length, pending.length], [30, 5])
      assert.strictEqual(await contract.messageCount(number), 5)
      assert.strictEqual(await organization.balance(), 97.5)
    },
  ),
  provesOverTime(
    ["8 check-code requests", "order of POST /verify/check", "access: Retry-After"],
    "twenty checks of an organization in 60 seconds, unknown ids included; the next waits retry_after",
    async (contract) => {
      const organization = await contract.organization()
      const sent = await organization.sendCode()
      checkAnswers(await organization.check(sent.id, wrong(sent.code)), sent.id, { pending: 2 })
      contract.subject.advance(1_200)
      const unknown = () => organization.check("vrf_unknown", sent.code)
      assert.deepStrictEqual(tally(await inTurn(19, unknown)), { 404: 19 })
      contract.subject.advance(10_000)
      // The first check was at 0 ms, and now it is 11,200 ms.
      for (const code of [sent.code, wrong(sent.code), wrong(sent.code), wrong(sent.code)]) {
        assert.strictEqual(limits(await organization.check(sent.id, code)), 49)
      }
      assert.strictEqual(limits(await unknown()), 49)
      contract.advanceSeconds(48)
      assert.strictEqual(limits(await organization.check(sent.id, sent.code)), 1)
      contract.advanceSeconds(1)
      // No attempt was used meanwhile, and the limit has room for one check.
      checkAnswers(await organization.check(sent.id, wrong(sent.code)), sent.id, { pending: 1 })
      assert.strictEqual(limits(await organization.check(sent.id, sent.code)), 1)
      contract.advanceSeconds(1)
      const checked = await organization.check(sent.id, sent.code)
      assert.strictEqual(member(checked.body, "data", "status"), "verified", checked.text)
    },
  ),
  provesOverTime(
    ["8 check-code requests", "1 scope"],
    "checks are counted in every state of a request, and for each organization by itself",
    async (contract) => {
      const organization = await contract.organization()
      const expired = await organization.sendCode(undefined, { expiry: 60 })
      contract.advanceSeconds(60)
      const sent = await organization.sendCode()
      const given = await inTurn(10, () => organization.check(sent.id, sent.code))
      assert.deepStrictEqual(tally(given), { 200: 10 })
      const tooLate = await inTurn(9, () => organization.check(expired.id, expired.code))
      assert.deepStrictEqual(tally(tooLate), { 410: 9 })
      const other = await organization.sendCode()
      checkAnswers(await organization.check(other.id, wrong(other.code)), other.id, { pending: 2 })
      assert.strictEqual(limits(await organization.check(sent.id, sent.code)), 60)
      assert.strictEqual(limits(await organization.check(other.id, other.code)), 60)
      const elsewhere = await contract.organization()
      refuses(await elsewhere.check(sent.id, sent.code), 404)
    },
  ),
  proves(
    ["8 check-code requests", "order of POST /verify/check", "order: refused guards"],
    "what did not pass validation is no check",
    async (contract) => {
      const organization = await contract.organization()
      for (let tried = 0; tried < 10; tried++) {
        faults(await organization.check("vrf_unknown", ""), 400, "code")
        faults(await organization.request("POST", "/verify/check", "{"), 400)
        refuses(await organization.check("vrf_unknown", "1", { key: null }), 401)
      }
      await organization.useUpChecks()
      limits(await organization.check("vrf_unknown", "1"))
    },
  ),
  proves(
    "8 check-code requests",
    "thirty checks at once: twenty are made, ten are refused",
    async (contract) => {
      const organization = await contract.organization()
      const given = await atOnce(30, () => organization.check("vrf_unknown", "1"))
      assert.deepStrictEqual(tally(given), { 404: 20, 429: 10 })
    },
  ),
  proves(
    ["8 send-code requests", "8 check-code requests", "8 pending verifications"],
    "reading the log and the balance, and sending messages, is not limited unless the host says so",
    async (contract) => {
      const organization = await contract.organization()
      const number = contract.number()
      const given = await atOnce(30, async () => [
        await organization.list(),
        await organization.request("GET", "/balance"),
        await organization.send(number),
      ])
      assert.deepStrictEqual(tally(given.flat()), { 200: 90 })
      answers(await organization.request("GET", "/balance"), {
        success: true,
        data: { balance: 85, currency: "BDT" },
      })
    },
  ),
]
