/**
 * The repeats of a call with an idempotency key get one answer, wherever the first node stopped.
 */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import type { Tag } from "../../src/decide/Command.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { balance, idempotencyKey, resend, sendMessage } from "../support/keyed.ts"
import { send } from "../support/verifying.ts"
import { effectTest } from "../support/engineTest.ts"

interface Point {
  /** The node stops here. */
  readonly at: "before" | "after"
  readonly tag: Tag
  /** Whether the call has had its effect. */
  readonly isOpen?: boolean
}

/** Two nodes over one store. The first one stops at the point, and completes `stopped`. */
const stoppingAt = Effect.fnUntraced(function* (
  { at, tag }: Point,
  options: TestEngine.Options = {},
  settings: Layer.Layer<never> = Layer.empty,
) {
  const store = MemoryStore.make()
  const stopped = yield* Deferred.make<void>()
  let isStopped = false
  const stop = Effect.suspend(() => {
    isStopped = true
    return Effect.andThen(Deferred.succeed(stopped, undefined), Effect.never)
  })
  const dying = Store.of({
    ...store,
    execute: (command) => {
      // A node that has stopped commits nothing, in the background either.
      if (isStopped) return Effect.never
      if (command._tag !== tag) return store.execute(command)
      return at === "before" ? stop : Effect.andThen(store.execute(command), stop)
    },
  })
  // A node that is killed closes nothing.
  const never = Scope.makeUnsafe()
  const build = (node: Store["Service"], seed: number) =>
    Layer.buildWithScope(
      Layer.provide(
        TestEngine.layer({ ...options, store: Layer.succeed(Store, node), seed }),
        settings,
      ),
      never,
    )
  const first = yield* build(dying, 1)
  const second = yield* build(store, 2)
  return {
    first: <A, E>(effect: Effect.Effect<A, E, TestEngine.TestEngine>) =>
      Effect.andThen(
        Effect.forkDetach(Effect.provide(effect, first), { startImmediately: true }),
        Deferred.await(stopped),
      ),
    second: <A, E>(effect: Effect.Effect<A, E, TestEngine.TestEngine>) =>
      Effect.provide(effect, second),
  }
})

/** Beyond the lease of the first node. */
const settled = Effect.andThen(
  TestClock.adjust(200_000),
  Settlement.use(({ round }) => round),
)

/** The gateway recognizes a message that the second node sends again. */
const capabilities = { tokenMillis: 600_000 }

const points = (hold: Tag): ReadonlyArray<Point> => [
  { at: "before", tag: hold },
  { at: "after", tag: hold, isOpen: true },
  { at: "before", tag: "RecordDispatch", isOpen: true },
  { at: "after", tag: "RecordDispatch" },
  { at: "after", tag: "RecordAnswer" },
]

/** The calls, with the command that charges each, and what its answer contains. */
const kinds: ReadonlyArray<
  readonly [
    what: string,
    hold: Tag,
    answer: object,
    call: (
      organization: OrganizationId,
      requestId: string,
    ) => Effect.Effect<object, { readonly _tag: string }, TestEngine.TestEngine>,
  ]
> = [
  ["a message", "HoldMessage", { balance: Samples.money("99") }, (to) => sendMessage(to)],
  [
    "a code",
    "RequestVerification",
    { expiresInSeconds: 300 },
    (to) => send(to, { idempotencyKey }),
  ],
  ["a resend", "ResendVerification", { resendsRemaining: 2, expiresInSeconds: 3_570 }, resend],
]

describe("when the first node stops", () => {
  for (const [what, hold, expected, call] of kinds) {
    for (const point of points(hold)) {
      const { at, isOpen, tag } = point
      effectTest(`${at} ${tag}, the repeats of ${what} get one answer`, function* () {
        const { first, second } = yield* stoppingAt(point, { gateway: { capabilities } })
        const { organization } = yield* second(TestEngine.open())
        const { requestId } = yield* second(send(organization, { expiresIn: "1 hour" }))
        yield* TestClock.adjust(30_000)
        const called = call(organization, requestId)
        yield* first(called)
        if (isOpen === true) {
          const waiting = yield* second(Effect.flip(called))
          assert.strictEqual(waiting._tag, "IdempotencyInFlight")
          yield* second(settled)
        }
        const answer = yield* second(called)
        assert.deepInclude(answer, expected)
        yield* second(sendMessage(organization, { idempotencyKey: "b" }))
        assert.deepStrictEqual(yield* second(called), answer)
        assert.strictEqual(yield* second(balance(organization)), Samples.money("98.5"))
      })
    }
  }

  const rejecting: TestEngine.Options = {
    gateway: {
      behave: ({ channel }) =>
        channel === "whatsapp" ? { _tag: "Reject", message: "no" } : { _tag: "Deliver" },
    },
  }
  const between: ReadonlyArray<Point> = [
    { at: "before", tag: "FollowVerification" },
    { at: "after", tag: "FollowVerification" },
  ]
  for (const point of between) {
    effectTest(
      `${point.at} FollowVerification, a repeat waits for the SMS and then tells of it`,
      function* () {
        const { first, second } = yield* stoppingAt(point, rejecting, Fallback.layer())
        const { organization } = yield* second(TestEngine.open())
        const request = send(organization, { idempotencyKey, channel: "whatsapp" })
        yield* first(request)
        const waiting = yield* second(Effect.flip(request))
        assert.strictEqual(waiting._tag, "IdempotencyInFlight")
        yield* second(settled)
        const answer = yield* second(request)
        assert.strictEqual(answer.channel, "sms")
        assert.deepStrictEqual(yield* second(request), answer)
      },
    )
  }
})
