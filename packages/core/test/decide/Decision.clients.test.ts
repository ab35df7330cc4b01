import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import { type Command } from "../../src/decide/Command.ts"
import { needs } from "../../src/decide/Needs.ts"
import type * as Decision from "../../src/decide/Decision.ts"
import type { KnownClient } from "../../src/domain/verifications/KnownClient.ts"
import type { Limits } from "../../src/domain/limits/Limits.ts"
import { decide, inWords } from "../support/transcript.ts"

const { money, now, recipient, requestId } = Samples

const account = Samples.account({ balance: money("10") })
const owner: KnownClient = { client: "owner", verifiedAt: now - 1, window: [], sinceSuccess: 0 }
const thirty = Array.from({ length: 30 }, (_, index) => now - 1_000 + index)
const exhausted = { window: thirty, sinceSuccess: 30 }
const wrong = { candidates: [Samples.codeOf("wrong")] }
const verification = Samples.verification()
const twoAMinute = { max: 2, windowMillis: 60_000 }
const activity = (windows: { sends?: ReadonlyArray<number>; checks?: ReadonlyArray<number> }) => ({
  organization: Samples.organizationId,
  client: "owner",
  sends: [],
  checks: [],
  ...windows,
})

const fraudRules = Samples.fraudRules({ maxSent: 0, action: "record" })

const check = (
  rows: Partial<Decision.View>,
  command: Samples.Overrides<Command<"CheckCode">>,
): Decision.Decision<unknown> & ReturnType<typeof decide<"CheckCode">> =>
  decide({ account, verification, ...rows }, Samples.checkCode(command), now)

describe("a client that has verified the number", () => {
  const attacked = { recipient: recipient({ guesses: exhausted, clients: [owner] }) }

  it.each([
    ["the owner", "owner", "Verified"],
    ["a stranger", "stranger", "GuessesLimited"],
    ["a caller that names no client", undefined, "GuessesLimited"],
  ] as const)("strangers have spent their budget, and %s checks", (_, name, expected) => {
    const client = name === undefined ? undefined : ([name] as const)
    assert.strictEqual(check(attacked, { client }).result._tag, expected)
    const sent = decide({ account, ...attacked }, Samples.requestVerification({ client }), now)
    assert.strictEqual(sent.result._tag === "Requested", expected === "Verified")
  })

  it("has wrong codes of its own", () => {
    const rows = { recipient: recipient({ clients: [owner] }) }
    const { guesses, clients } = check(rows, { ...wrong, client: ["owner"] }).writes.recipient ?? {}
    assert.deepStrictEqual(guesses, { window: [], sinceSuccess: 0 })
    assert.deepStrictEqual(clients, [{ ...owner, window: [now], sinceSuccess: 1 }])
    const spent = { recipient: recipient({ clients: [{ ...owner, ...exhausted }] }) }
    assert.strictEqual(check(spent, { client: ["owner"] }).result._tag, "GuessesLimited")
    assert.strictEqual(check(spent, { client: ["stranger"] }).result._tag, "Verified")
  })

  it("is a client with a right code, unless the number is a test number", () => {
    const right = check({}, { client: ["new", "old"] })
    assert.deepStrictEqual(right.writes.recipient?.clients, [
      { client: "new", verifiedAt: now, window: [], sinceSuccess: 0 },
    ])
    assert.deepStrictEqual(check({}, { ...wrong, client: ["new"] }).writes.recipient?.clients, [])
    const testNumbers = new Set([Samples.phoneNumber()])
    assert.deepStrictEqual(
      check({}, { client: ["new"], testNumbers }).writes.recipient?.clients,
      [],
    )
  })

  it("stays known when the host resets the wrong codes", () => {
    const rows = { account, recipient: recipient({ clients: [{ ...owner, ...exhausted }] }) }
    assert.deepStrictEqual(decide(rows, Samples.resetGuesses(), now).writes.recipient?.clients, [
      owner,
    ])
  })
})

describe("the wrong codes of all clients together", () => {
  const withSeries = (...counts: ReadonlyArray<number>) => ({
    recipient: recipient({
      guesses: { window: [], sinceSuccess: 60 },
      clients: counts.map((sinceSuccess, index) => ({
        ...owner,
        client: index === 0 ? "owner" : `client ${index}`,
        sinceSuccess,
      })),
    }),
  })
  const outcomes = (counts: ReadonlyArray<number>, limits: Partial<Limits>) =>
    [["owner"] as const, ["stranger"] as const, undefined].map((client) =>
      inWords({ ...check(withSeries(...counts), { client, limits }), writes: {}, events: [] }),
    )
  const blocked = "GuessesLimited for 86400 s"
  const verified = "Verified first"

  it.each([
    ["99, under nist", [9, 30], { profile: "nist" }, verified],
    ["100, under nist", [10, 30], { profile: "nist" }, blocked],
    [
      "100, under nist, and a smaller bound",
      [4],
      { profile: "nist", guessesSinceSuccess: 64 },
      blocked,
    ],
    ["100 otherwise", [10, 30], { profile: "standard" }, verified],
  ] as const)("block the number for all of them: %s", (_, counts, limits, end) => {
    assert.deepStrictEqual(outcomes(counts, limits), [end, end, end])
  })

  it("do not block a test number", () => {
    const testNumbers = new Set([Samples.phoneNumber()])
    const tested = check(withSeries(40), { testNumbers, limits: { profile: "nist" } })
    assert.strictEqual(tested.result._tag, "Verified")
  })
})

describe("a code that is sent again", () => {
  const open = {
    account: Samples.account({ balance: money("10"), lastMessage: 1 }),
    verification: { ...verification, sentAt: now - 30_000 },
    carrier: Samples.message({ status: "delivered", hold: "captured", dueAt: null }),
  }
  const again = (rows: Partial<Decision.View>, overrides: object) =>
    [Samples.admitResend(overrides), Samples.resendVerification(overrides)].map((command) =>
      decide<"AdmitResend" | "ResendVerification">({ ...open, ...rows }, command, now),
    )

  it.each([
    ["the owner", ["owner"], ["Admitted", "Resent"]],
    ["a stranger", ["stranger"], ["GuessesLimited", "GuessesLimited"]],
    ["a caller that names no client", undefined, ["GuessesLimited", "GuessesLimited"]],
  ] as const)("strangers have spent their budget, and %s has it sent again", (_, client, ends) => {
    const attacked = { recipient: recipient({ guesses: exhausted, clients: [owner] }) }
    const tags = again(attacked, { client }).map(({ result }) => result._tag)
    assert.deepStrictEqual(tags, [...ends])
  })

  it("counts for its client, unless it was counted before", () => {
    const limits = { sendsPerClient: twoAMinute }
    const asked = { client: ["owner"], limits } as const
    assert.deepStrictEqual(needs(Samples.admitResend(asked)).client, ["owner"])
    assert.deepStrictEqual(needs(Samples.resendVerification(asked)).client, ["owner"])
    const one = { client: activity({ sends: [now - 1] }) }
    for (const { writes } of again(one, asked)) {
      assert.deepStrictEqual(writes.client, activity({ sends: [now - 1, now] }))
    }
    const full = { client: activity({ sends: [now - 2, now - 1] }) }
    for (const refused of again(full, asked)) {
      assert.strictEqual(inWords(refused), "ClientLimited for 60 s")
    }
    const counted = Samples.resendVerification({ ...asked, isCounted: true })
    const resent = decide({ ...open, ...full }, counted, now)
    assert.strictEqual(resent.result._tag, "Resent")
    assert.isUndefined(resent.writes.client)
  })

  it("counts for its client even if it cannot be paid", () => {
    const rows = { account: Samples.account({ lastMessage: 1 }) }
    const asked = { client: ["owner"], limits: { sendsPerClient: twoAMinute } } as const
    const [, unpaid] = again(rows, asked)
    assert.strictEqual(unpaid?.result._tag, "Insufficient")
    assert.deepStrictEqual(unpaid?.writes.client, activity({ sends: [now] }))
  })
})

describe("a sixth request for a number", () => {
  const pendingOf = (...known: ReadonlyArray<boolean>) =>
    known.map((isKnown, index) => ({
      requestId: requestId(100 + index),
      until: now + 1_000,
      ...(isKnown && { isKnown }),
    }))
  const strangers = pendingOf(true, false, false, true, false)
  const rows = (
    pending: ReadonlyArray<{ requestId: typeof verification.requestId; until: number }>,
  ) => ({
    account,
    recipient: recipient({ pending, clients: [owner] }),
  })

  it.each([
    ["from the owner may cancel the oldest of strangers", strangers, "owner", requestId(101)],
    [
      "from the owner, who made all of them",
      pendingOf(true, true, true, true, true),
      "owner",
      undefined,
    ],
    ["from a stranger", strangers, "stranger", undefined],
  ] as const)("%s", (_, pending, client, displaces) => {
    for (const command of [
      Samples.requestVerification({ client: [client] }),
      Samples.admitVerification({ client: [client] }),
    ]) {
      const { result, writes } = decide<"AdmitVerification" | "RequestVerification">(
        rows(pending),
        command,
        now,
      )
      assert.deepStrictEqual(result, {
        _tag: "TooManyPending",
        retryAfterSeconds: 1,
        ...(displaces && { displaces }),
      })
      assert.deepStrictEqual(writes.recipient?.sends, [now])
    }
  })

  it.each([
    [
      "the balance does not suffice",
      { account: Samples.account() },
      {},
      "Insufficient: 0.50 of 0.00 | writes account, recipient",
    ],
    [
      "the day's spending is used up",
      {},
      { limits: { spendPerDay: money("0.4999") } },
      "Capped | writes account, recipient",
    ],
    [
      "the prefix is under suspicion",
      {},
      { rules: { ...fraudRules, action: "deny" } },
      "Suspected | writes account, findings, prefixStats, recipient | FraudSuspected",
    ],
  ] as const)("from the owner cancels no other if %s", (_, more, command, ends) => {
    const asked = Samples.requestVerification({ client: ["owner"], ...command })
    assert.strictEqual(inWords(decide({ ...rows(strangers), ...more }, asked, now)), ends)
  })

  it("leaves the findings about its prefix to the request that gets the place", () => {
    const asked = Samples.requestVerification({ client: ["owner"], rules: fraudRules })
    const { events, result, writes } = decide(rows(strangers), asked, now)
    assert.deepInclude(result, { _tag: "TooManyPending", displaces: requestId(101) })
    assert.deepStrictEqual(
      [writes.findings, writes.prefixStats, events],
      [undefined, undefined, []],
    )
  })

  it("keeps its place if the owner made it", () => {
    const made = (client: string) =>
      decide(
        { account, recipient: recipient({ clients: [owner] }) },
        Samples.requestVerification({ client: [client] }),
        now,
      ).writes.recipient?.pending
    const until = now + 300_000
    assert.deepStrictEqual(made("owner"), [{ requestId: requestId(), until, isKnown: true }])
    assert.deepStrictEqual(made("stranger"), [{ requestId: requestId(), until }])
  })
})

describe("the limits of a client", () => {
  const sendsPerClient = twoAMinute
  const checksPerClient = twoAMinute
  const client = ["current", "owner"] as const

  it("read and write no row if no client is named, or no limit is set", () => {
    assert.isUndefined(needs(Samples.requestVerification({ limits: { sendsPerClient } })).client)
    assert.isUndefined(needs(Samples.requestVerification({ client })).client)
    assert.isUndefined(needs(Samples.checkCode({ client })).client)
    assert.isUndefined(check({}, { client }).writes.client)
    assert.isUndefined(check({}, { limits: { checksPerClient } }).writes.client)
    const limited = Samples.checkCode({ client, limits: { checksPerClient } })
    assert.deepStrictEqual(needs(limited).client, client)
  })

  it("find the row under any secret, and leave it under its digest", () => {
    const { writes } = check(
      { client: activity({ checks: [now - 1] }) },
      { client, limits: { checksPerClient } },
    )
    assert.deepStrictEqual(writes.client, activity({ checks: [now - 1, now] }))
    assert.deepStrictEqual(check({}, { client, limits: { checksPerClient } }).writes.client, {
      ...activity({ checks: [now] }),
      client: "current",
    })
  })

  it.each([
    ["a check", [now - 20_000, now - 1], "ClientLimited for 40 s"],
    ["a later check", [now - 60_000, now - 1], "NotFound | writes account, client"],
  ] as const)("count %s over all numbers", (_, checks, expected) => {
    const decision = check(
      { client: activity({ checks }), verification: undefined },
      { client, limits: { checksPerClient } },
    )
    assert.strictEqual(inWords(decision), expected)
  })

  it("answer with the longest of all waits, after which all admit", () => {
    const hour = { max: 1, windowMillis: 3_600_000 }
    const rows = {
      account: { ...account, checks: Array.from({ length: 20 }, () => now) },
      client: activity({ checks: [now] }),
    }
    const limited = check(rows, { client, limits: { checksPerClient: hour } })
    assert.strictEqual(inWords(limited), "ClientLimited for 3600 s")
    const both = check(
      { ...rows, recipient: recipient({ guesses: exhausted }) },
      { client, limits: { checksPerClient: hour } },
    )
    assert.strictEqual(inWords(both), "GuessesLimited for 86399 s")
  })
})

describe("the limit on checks of a request", () => {
  const limits = { checksPerRequest: { max: 2, windowMillis: 60_000 } }

  it("counts the checks of the request, in any state", () => {
    const first = check({}, { ...wrong, limits })
    assert.deepStrictEqual(first.writes.verification?.checks, [now])
    const verified = Samples.verification({ status: "verified", verifiedAt: now, checks: [now] })
    const second = check({ verification: verified }, { limits })
    assert.deepStrictEqual(second.writes.verification, { ...verified, checks: [now, now] })
    assert.deepStrictEqual(second.events, [])
  })

  it("leaves the organization's share and the attempts alone when it refuses", () => {
    const full = Samples.verification({ checks: [now - 30_000, now] })
    const refused = check({ verification: full }, { limits })
    assert.strictEqual(inWords(refused), "Limited for 30 s")
  })

  it("is off by default, and writes nothing then", () => {
    assert.deepStrictEqual(check({}, wrong).writes.verification?.checks, [])
    const verified = Samples.verification({ status: "verified", verifiedAt: now })
    assert.isUndefined(check({ verification: verified }, {}).writes.verification)
  })
})
