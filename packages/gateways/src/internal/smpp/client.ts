/** A client that stays bound. It reconnects after a loss, with growing pauses while attempts fail. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as Outcomes from "../outcomes.ts"
import { openSession, type Session, type SessionOptions } from "./session.ts"

export interface Client {
  /** The current session, or why it is missing. Waits for one that is being opened. */
  readonly session: Effect.Effect<Session | Outcomes.Refusal>
  /** Number of sent messages whose answers may still arrive, including late answers. */
  readonly unanswered: () => number
}

/** Waits a random share of the pause, from half on, so that nodes do not reconnect together. */
const pause = Effect.fnUntraced(function* (attempt: number, options: SessionOptions) {
  const { maxRetryMillis, retryMillis } = options
  const full = Math.min(maxRetryMillis, retryMillis * 2 ** Math.min(attempt, 30))
  yield* Effect.sleep(Duration.millis(full * (0.5 + (yield* Random.next) / 2)))
})

/** If a session ends sooner than this after its bind, the next pause is longer. */
const steadyMillis = 30_000

/** Binds, and stays bound until the scope closes. */
export const makeClient = Effect.fnUntraced(function* (
  options: SessionOptions,
): Effect.fn.Return<Client, never, Scope.Scope> {
  /** Pending while the client binds. */
  let current = Deferred.makeUnsafe<Session | Outcomes.Refusal>()
  let bound: Session | undefined
  const become = (next: Session | Outcomes.Refusal): void => {
    bound = "_tag" in next ? undefined : next
    if (Deferred.isDoneUnsafe(current)) current = Deferred.makeUnsafe()
    Deferred.doneUnsafe(current, Effect.succeed(next))
  }

  /** Runs one session from bind to end. Returns whether it lasted. */
  const once = Effect.gen(function* () {
    if (Deferred.isDoneUnsafe(current)) current = Deferred.makeUnsafe()
    const session = yield* openSession(options)
    become(session)
    yield* Effect.logDebug("Bound to the gateway")
    const since = yield* Clock.currentTimeMillis
    yield* session.closed
    become(Outcomes.notSent("The connection to the gateway was lost"))
    return (yield* Clock.currentTimeMillis) - since >= steadyMillis
  }).pipe(
    Effect.scoped,
    Effect.catch((why) => {
      become(why)
      return Effect.as(Effect.logWarning(why.message), false)
    }),
  )

  const forever = Effect.gen(function* () {
    let attempt = 0
    while (true) {
      const hasLasted = yield* once
      attempt = hasLasted ? 0 : attempt + 1
      yield* pause(attempt, options)
    }
  })
  yield* Effect.forkScoped(forever)
  // Runs before the session unbinds, so that no further message is submitted.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => become(Outcomes.notSent("The gateway was closed"))),
  )
  return {
    session: Effect.suspend(() => Deferred.await(current)),
    unanswered: () => bound?.unanswered() ?? 0,
  }
})
