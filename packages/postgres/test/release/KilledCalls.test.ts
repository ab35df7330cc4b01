/**
 * SIGKILL at each point of a call under an idempotency key: another node has the effect once, and every retry gets the
 * first answer.
 */
import * as Money from "@countersign/core/domain/values/Money"
import { Messages } from "@countersign/core/services/Messages"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  type Commit,
  databases,
  type Killed,
  killNode,
  recounted,
  settled,
} from "../fixtures/killing.ts"
import {
  type Action,
  firstCode,
  organization,
  perform,
  phoneNumber,
  readCalls,
} from "../fixtures/node.ts"

interface Point {
  readonly call: Action["call"]
  readonly point: string
  readonly commit: Commit
  /** Whether the SMS follows a message that WhatsApp refuses. */
  readonly isFollowed?: boolean
  /** Whether the first call has had its effect and has not ended, so that retries have to wait. */
  readonly isOpen?: boolean
  /** The answer of every other retry, and the messages that reach the gateway. */
  readonly answer: string
  readonly arrive: number
  /** The same with a gateway that would send a message twice, if it differs. */
  readonly withoutToken?: { readonly answer: string; readonly arrive: number }
}

interface Sending extends Pick<Point, "call" | "answer"> {
  readonly charge: string
  readonly arrive: number
  /** The answer if it is not known whether the message was sent. */
  readonly unknown: string
}

/** The points of a call that charges a message, gives it to the gateway, and records the answer. */
const sending = ({ charge, unknown, ...row }: Sending): ReadonlyArray<Point> => [
  { ...row, point: "before its commit", commit: [charge, 1, "before"] },
  {
    ...row,
    point: "between its commit and the gateway",
    commit: [charge, 1, "after"],
    isOpen: true,
    withoutToken: { answer: unknown, arrive: row.arrive - 1 },
  },
  {
    ...row,
    point: "between the gateway and the outcome",
    commit: ["RecordDispatch", 1, "before"],
    isOpen: true,
    withoutToken: { answer: unknown, arrive: row.arrive },
  },
  {
    ...row,
    point: "between its answer and the outcome",
    commit: ["RecordDispatch", 1, "answered"],
    // The first call has its answer already, which does not depend on what is sent again.
    ...(row.call === "message" && { withoutToken: row }),
  },
  {
    ...row,
    point: "between the outcome and the record of its answer",
    commit: ["RecordDispatch", 1, "after"],
  },
  {
    ...row,
    point: "between the record of its answer and the answer",
    commit: ["RecordAnswer", 1, "after"],
  },
]

const bySms = "pending by sms, 3 resends left"
const again = "pending by sms, 2 resends left"
const followed = { call: "send", isFollowed: true, isOpen: true, answer: bySms, arrive: 2 } as const
const verified = { answer: "verified", arrive: 1 }

const points: ReadonlyArray<Point> = [
  ...sending({
    call: "message",
    charge: "HoldMessage",
    answer: "delivered by sms, 4999.50 left",
    arrive: 1,
    unknown: "SendingFailed",
  }),
  ...sending({
    call: "send",
    charge: "RequestVerification",
    answer: bySms,
    arrive: 1,
    unknown: bySms,
  }),
  ...sending({
    call: "resend",
    charge: "ResendVerification",
    answer: again,
    arrive: 2,
    unknown: again,
  }),
  {
    ...followed,
    point: "before the charge of the SMS",
    commit: ["FollowVerification", 1, "before"],
  },
  {
    ...followed,
    point: "between the charge of the SMS and the gateway",
    commit: ["FollowVerification", 1, "after"],
    withoutToken: { answer: bySms, arrive: 1 },
  },
  {
    ...followed,
    point: "between the gateway and the outcome of the SMS",
    commit: ["RecordDispatch", 2, "before"],
  },
  ...(
    [
      ["consume", "ConsumeVerification"],
      ["verify", "VerifyCode"],
    ] as const
  ).flatMap(([call, command]): ReadonlyArray<Point> => [
    { ...verified, call, point: "before its commit", commit: [command, 1, "before"] },
    {
      ...verified,
      call,
      point: "between its commit and the answer",
      commit: [command, 1, "after"],
    },
  ]),
]

const inWords = (answer: Effect.Success<ReturnType<typeof perform>>): string =>
  [
    answer.status,
    ...("channel" in answer ? [` by ${answer.channel}`] : []),
    ...("balance" in answer ? [`, ${Money.format(answer.balance)} left`] : []),
    ...("resendsRemaining" in answer ? [`, ${answer.resendsRemaining} resends left`] : []),
  ].join("")

/** Retries a call. Returns its answer in words, and in full. */
const retry = Effect.fnUntraced(function* (action: Action, code: string) {
  const { verifications } = yield* recounted
  return yield* Effect.match(perform(action, verifications[0]?.requestId ?? "none", code), {
    onFailure: ({ _tag }) => ({ words: _tag, answer: undefined }),
    onSuccess: (answer) => ({ words: inWords(answer), answer }),
  })
})

/** Another call changes everything that a later answer could show. */
const another = (call: Action["call"]) =>
  Effect.gen(function* () {
    const { verifications } = yield* recounted
    const requestId = verifications[0]?.requestId ?? "none"
    if (call === "consume" || call === "verify") {
      const again = yield* Effect.flip(
        Verifications.use((_) => _.consume({ organization, requestId })),
      )
      assert.strictEqual(again._tag, "AlreadyConsumed")
    }
    if (call === "resend") yield* Verifications.use((_) => _.cancel({ organization, requestId }))
    yield* Messages.use((_) => _.send({ organization, phoneNumber, text: "another message" }))
  })

const play = Effect.fnUntraced(function* (action: Action, row: Point, code: string) {
  const early = yield* retry(action, code)
  if (row.isOpen === true) assert.strictEqual(early.words, "IdempotencyInFlight")
  if (row.commit[2] === "answered") {
    const { messages } = yield* recounted
    assert.strictEqual(messages.at(-1)?.status, "pending")
  }
  // The lease ends 70 seconds after the charge.
  yield* TestClock.adjust(75_000)
  yield* settled
  const first = yield* retry(action, code)
  assert.strictEqual(first.words, row.answer)
  if (row.isOpen !== true) assert.deepStrictEqual(first, early)
  yield* another(action.call)
  assert.deepStrictEqual(yield* retry(action, code), first)
  return yield* recounted
})

/** A gateway that knows no tokens plays where this makes a difference. */
const rows = points.flatMap((point) =>
  (point.withoutToken === undefined ? [true] : [true, false]).map((honoursToken) => ({
    ...point,
    ...(honoursToken ? {} : point.withoutToken),
    honoursToken,
    token: honoursToken ? "that knows tokens" : "that knows no tokens",
  })),
)

for (const [name, make] of Object.entries(databases)) {
  describe(`A node on ${name} that is killed`, () => {
    // Every start of PGlite takes seconds, so it plays the calls that `Kill.test.ts` does not play there.
    const reached =
      name === "PGlite"
        ? rows.filter(
            ({ call, honoursToken, isFollowed }) =>
              honoursToken && (isFollowed === true || call === "consume" || call === "verify"),
          )
        : rows
    it.effect.each(reached)(
      "in $call $point lets retries have one effect and one answer, with a gateway $token",
      (row) =>
        Effect.gen(function* () {
          const { call, commit, honoursToken, isFollowed = false } = row
          const channel = isFollowed ? "whatsapp" : "sms"
          const action: Action = { call, channel }
          const killed: Killed = { action, commit, honoursToken, refusesWhatsApp: isFollowed }
          const { next, setting } = yield* killNode(make, killed, 1_000)
          const { account, messages, verifications } = yield* Effect.provide(
            play(action, row, firstCode(setting.calls)),
            next,
          )
          const tokens = readCalls(setting.calls).map(([, token]) => token)
          // One of the calls is that of the other message.
          assert.strictEqual(new Set(tokens).size - 1, row.arrive)
          if (!honoursToken) assert.strictEqual(tokens.length - 1, row.arrive)
          const charged = isFollowed || call === "resend" ? 2 : 1
          assert.strictEqual(messages.length - 1, charged)
          assert.strictEqual(verifications.length, call === "message" ? 0 : 1)
          const paid = messages.filter((message) => message.channel === "sms").length
          assert.strictEqual(Money.format(account.balance), (5_000 - paid / 2).toFixed(2))
        }),
      60_000,
    )
  })
}
