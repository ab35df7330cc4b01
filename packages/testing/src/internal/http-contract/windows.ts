/**
 * Rate limits and limits on pending requests. When they refuse, the tests of core decide.
 */
import type { LimitOverrides } from "@countersign/core/domain/limits/LimitOverrides"
import { assert } from "@effect/vitest"
import {
  type Answer,
  atOnce,
  checkAnswers,
  type Contract,
  type ContractTest,
  inTurn,
  limits,
  type Organization,
  proves,
  provesOverTime,
  refuses,
  type Sent,
  tally,
  wrong,
} from "./support.ts"
import type { Row } from "./rows.ts"

const robot = { client: "a robot" }

type Ask = (contract: Contract, organization: Organization, sent: Sent) => Promise<Answer>

const guess: Ask = (_, organization, { code, id }) => organization.check(id, wrong(code))

/** Limits of a host that admit two calls, and then none for some seconds. */
const ofHosts: ReadonlyArray<readonly [Row, LimitOverrides, seconds: number, Ask]> = [
  [
    "7 message 429",
    { messagesPerOrganization: { max: 2, windowMillis: 10_000 } },
    10,
    (contract, organization) => organization.send(contract.number()),
  ],
  [
    "client: send 429",
    { sendsPerClient: { max: 2, windowMillis: 60_000 } },
    60,
    (contract, organization) => organization.verify(contract.number(), robot),
  ],
  [
    "client: check 429",
    { checksPerClient: { max: 2, windowMillis: 10_000 } },
    10,
    (_, organization) =>
      organization.post("/verify/check", { request_id: "vrf_unknown", code: "1", ...robot }),
  ],
  [
    "limits: several windows",
    {
      sendsPerNumber: [
        { max: 5, windowMillis: 10_000 },
        // The setup has sent one.
        { max: 3, windowMillis: 100_000 },
      ],
    },
    100,
    (_, organization, { number }) => organization.verify(number),
  ],
  [
    "limits: checks of a request",
    { checksPerRequest: { max: 2, windowMillis: 60_000 } },
    60,
    guess,
  ],
  ["wrong codes: 429", { guessesPerNumber: { max: 2, windowMillis: 86_400_000 } }, 86_400, guess],
]

export const windows: ReadonlyArray<ContractTest> = [
  ...ofHosts.map(([row, overrides, seconds, ask]) =>
    proves(
      [row, "access: Retry-After"],
      "a limit that the host has set names the wait",
      async (contract) => {
        const organization = await contract.organization({ settings: { limits: overrides } })
        const sent = await organization.sendCode()
        for (const { status, text } of await inTurn(2, () => ask(contract, organization, sent))) {
          assert.notStrictEqual(status, 429, text)
        }
        assert.strictEqual(limits(await ask(contract, organization, sent)), seconds)
      },
    ),
  ),
  provesOverTime(
    [
      "8 send-code requests",
      "7 verify 429 rate",
      "verification: rate limit",
      "access: Retry-After",
    ],
    "the eleventh request in 60 seconds learns how long to wait, and gets through after exactly that",
    async (contract, organization) => {
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
    async (contract, organization) => {
      const number = contract.number()
      await inTurn(5, () => organization.sendCode(number))
      const answer = await organization.verify(number, { channel: "whatsapp" })
      refuses(answer, 429)
      // Only the header contains the seconds until one expires.
      assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/, answer.text)
      assert.strictEqual(await contract.messageCount(number), 5)
      await organization.sendCode()
      await (await contract.organization()).sendCode(number)
    },
  ),
  proves(
    [
      "8 send-code requests",
      "8 pending verifications",
      "8 check-code requests",
      "3.3 charged",
      "8 pricing of verifications",
    ],
    "two nodes share every limit, and each code that was sent costs 0.5",
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
    async (contract, organization) => {
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
