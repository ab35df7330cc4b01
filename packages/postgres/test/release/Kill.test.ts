/**
 * SIGKILL at each point of a code's delivery: another node finishes it. No message is lost and none is sent twice,
 * as far as the gateway's token allows.
 */
import { Reports } from "@countersign/core/services/Reports"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import {
  type Commit,
  databases,
  type Killed,
  killNode,
  recounted,
  settled,
} from "../fixtures/killing.ts"
import { organization, phoneNumber, readCalls, type Setting } from "../fixtures/node.ts"

interface Point {
  readonly point: string
  /** @defaultValue send */
  readonly action?: "send" | "resend"
  readonly refusesWhatsApp?: true
  readonly commit: Commit
  /** The messages that reach the phone, by channel, with a gateway that would send a message twice, if it differs. */
  readonly arriveWithoutToken?: string
}

const refused = { refusesWhatsApp: true } as const
const resend = { action: "resend" } as const

const points: ReadonlyArray<Point> = [
  {
    point: "the charge of the message",
    commit: ["RequestVerification", 1, "after"],
    // The message cannot be sent again, because it may have been sent.
    arriveWithoutToken: "0 whatsapp, 1 sms",
  },
  { point: "the call of the gateway", commit: ["RecordDispatch", 1, "before"] },
  { point: "the outcome, while it waits for a report", commit: ["RecordDispatch", 1, "after"] },
  { ...refused, point: "the refusal of the gateway", commit: ["RecordDispatch", 1, "after"] },
  {
    ...refused,
    point: "its decision to send an SMS, before the charge",
    commit: ["FollowVerification", 1, "before"],
  },
  {
    ...refused,
    point: "the charge of the SMS",
    commit: ["FollowVerification", 1, "after"],
    arriveWithoutToken: "1 whatsapp, 0 sms",
  },
  {
    ...refused,
    point: "the call of the gateway with the SMS",
    commit: ["RecordDispatch", 2, "before"],
  },
  {
    ...refused,
    point: "its answer, before the outcome of the SMS",
    commit: ["RecordDispatch", 2, "answered"],
  },
  {
    ...resend,
    point: "the charge of a resend",
    commit: ["ResendVerification", 1, "after"],
    arriveWithoutToken: "0 whatsapp, 2 sms",
  },
  {
    ...resend,
    point: "the call of the gateway with a resend",
    commit: ["RecordDispatch", 1, "before"],
  },
  { ...resend, point: "the outcome of a resend", commit: ["RecordDispatch", 1, "after"] },
]

/** Lets another node finish the work, and checks the code. */
const finish = Effect.fnUntraced(function* (setting: Setting) {
  // An SMS is due 30 seconds after an outcome.
  for (let round = 0; round < 3; round++) {
    yield* settled
    yield* TestClock.adjust(31_000)
  }
  const snapshot = yield* recounted
  const [request] = snapshot.verifications
  assert.strictEqual(snapshot.verifications.length, 1)
  assert.deepStrictEqual(
    snapshot.messages.filter(({ followAt, status }) => followAt !== null || status === "pending"),
    [],
  )
  const calls = readCalls(setting.calls)
  const codes = new Set(calls.map(([, , code]) => code))
  assert.strictEqual(codes.size, 1, "one code in all messages")
  const checked = yield* Verifications.use((_) =>
    _.check({
      organization,
      requestId: request?.requestId ?? "",
      phoneNumber: undefined,
      code: Redacted.make([...codes][0] ?? ""),
    }),
  )
  assert.deepInclude(checked, { status: "verified", phoneNumber })
  // Every message in the log was given to the gateway under its own id, or never.
  const ids = new Set(snapshot.messages.map(({ id }): string => id))
  for (const [, token = ""] of calls) assert.isTrue(ids.has(token), token)
  yield* recounted
  return calls
})

const arrived = (calls: ReadonlyArray<ReadonlyArray<string>>): string =>
  ["whatsapp", "sms"]
    .map((channel) => {
      const tokens = calls.flatMap(([by, token]) => (by === channel ? [token] : []))
      return `${new Set(tokens).size} ${channel}`
    })
    .join(", ")

const kinds = [
  {
    name: "PostgreSQL",
    make: databases.PostgreSQL,
    tokens: [true, false],
    commits: points.map(({ commit }) => commit[0]),
  },
  {
    name: "PGlite",
    make: databases.PGlite,
    tokens: [true],
    // Every start takes seconds.
    commits: ["RequestVerification", "FollowVerification", "ResendVerification"],
  },
]

for (const { commits, make, name, tokens } of kinds) {
  describe(`A node on ${name} that is killed`, () => {
    const reached = points.filter(({ commit }) => commits.includes(commit[0]))
    const rows = reached.flatMap((point) =>
      tokens.map((honoursToken) => ({
        ...point,
        honoursToken,
        token: honoursToken ? "that knows tokens" : "that knows no tokens",
      })),
    )
    it.effect.each(rows)(
      "after $point leaves the rest to another node, with a gateway $token",
      ({ action = "send", arriveWithoutToken, commit, honoursToken, refusesWhatsApp = false }) =>
        Effect.gen(function* () {
          const call = { call: action, channel: "whatsapp" } as const
          const killed = { action: call, commit, honoursToken, refusesWhatsApp }
          const arrive = action === "send" ? "1 whatsapp, 1 sms" : "1 whatsapp, 2 sms"
          // The lease ends 70 seconds after the charge.
          const { next, setting } = yield* killNode(make, killed, 75_000)
          const made = yield* Effect.provide(finish(setting), next)
          const expected = honoursToken ? arrive : (arriveWithoutToken ?? arrive)
          assert.strictEqual(arrived(made), expected)
          // Without tokens, a second call would be a second message.
          if (!honoursToken) assert.strictEqual(made.length, new Set(made.map(([, id]) => id)).size)
        }),
      60_000,
    )
  })
}

const rows = [
  { can: "reports by reference", honoursToken: false, reportsByIds: false, isAnswered: true },
  { can: "repeats under its token", honoursToken: true, reportsByIds: true, isAnswered: true },
  { can: "cannot recover", honoursToken: false, reportsByIds: true, isAnswered: false },
]

describe("A node that is killed before it has written that a message was accepted", () => {
  it.effect.each(rows)(
    "has answered only what is found again: a message that the gateway $can",
    ({ honoursToken, isAnswered, reportsByIds }) =>
      Effect.gen(function* () {
        const killed: Killed = {
          action: { call: "message", channel: "sms" },
          commit: ["RecordDispatch", 1, "answered"],
          honoursToken,
          refusesWhatsApp: false,
          reportsByIds,
        }
        const made = yield* killNode(databases.PostgreSQL, killed, 75_000)
        assert.strictEqual(made.isAnswered, isAnswered)
        yield* Effect.provide(
          Effect.gen(function* () {
            yield* settled
            const [, token = ""] = readCalls(made.setting.calls)[0] ?? []
            const of = reportsByIds
              ? ({ _tag: "GatewayId", gateway: "simulated", gatewayId: `sim_${token}` } as const)
              : ({ _tag: "Message", organization, sequence: 1 } as const)
            const report = { of, status: "delivered", detail: null } as const
            yield* Reports.use((_) => _.receive(report))
            // What was answered as accepted is paid for. Any other message is refunded at its deadline.
            const { messages } = yield* recounted
            const status = isAnswered ? "delivered, captured" : "unknown, open"
            assert.deepStrictEqual(
              messages.map((one) => `${one.status}, ${one.hold}`),
              [status],
            )
          }),
          made.next,
        )
      }),
    60_000,
  )
})
