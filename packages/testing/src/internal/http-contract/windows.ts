/**
 * Rate limits and limits on pending requests.
 */
import { assert } from "@effect/vitest"
import {
  type Answer,
  atOnce,
  checkAnswers,
  type ContractTest,
  inTurn,
  limits,
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
  proves(
    ["8 pending verifications", "7 verify 429 pending", "additions: Retry-After"],
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
      contract.advanceSeconds(49)
      // No attempt was used meanwhile, and the limit has room for one check.
      checkAnswers(await organization.check(sent.id, wrong(sent.code)), sent.id, { pending: 1 })
      assert.strictEqual(limits(await organization.check(sent.id, sent.code)), 1)
    },
  ),
]
