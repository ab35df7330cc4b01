/**
 * A client that stays bound. It reconnects after a loss, with growing pauses while attempts fail.
 */
import type { GatewayOutcome } from "@countersign/core/domain/GatewayOutcome"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import type { SmppOptions } from "../../VendorOptions.ts"
import type { NoLink } from "./link.ts"
import { type BindRefused, openSession, type Session, type SessionOptions } from "./session.ts"
import { statusText, verdictOf } from "./statuses.ts"

/** Times are in milliseconds. */
export interface ClientOptions extends SessionOptions {
  /** Pause before the second attempt to bind. Doubles with each failure. */
  readonly retryMillis: number
  /** Longest pause. */
  readonly maxRetryMillis: number
  readonly statuses: SmppOptions["statuses"]
}

/** Why no message can be sent now. */
export type Down = Extract<GatewayOutcome, { readonly _tag: "NotSent" | "Rejected" | "Throttled" }>

export interface Client {
  /** The current session. Waits for one that is being opened. */
  readonly session: Effect.Effect<Session | Down>
  /** Number of sent messages whose answers may still arrive, including late answers. */
  readonly unanswered: () => number
}

type State =
  | { readonly _tag: "Binding"; readonly done: Deferred.Deferred<Session | Down> }
  | { readonly _tag: "Bound"; readonly session: Session }
  | { readonly _tag: "Down"; readonly why: Down }

const downOf = (problem: BindRefused | NoLink, statuses: ClientOptions["statuses"]): Down => {
  if (problem._tag === "NoLink") {
    return { _tag: "NotSent", message: `No connection to the gateway (${problem.code})` }
  }
  const message = `The gateway refused the bind: ${statusText(problem.status)}`
  const verdict = verdictOf(problem.status, statuses)
  switch (verdict) {
    case "throttled":
      return { _tag: "Throttled", message }
    // Nothing has left, even if the meaning of the status is unknown.
    case "unknown":
      return { _tag: "NotSent", message }
    default:
      return { _tag: "Rejected", reason: "account", message }
  }
}

/**
 * Waits between half and all of the pause, so that nodes that were disconnected together do not reconnect
 * together.
 */
const pause = Effect.fnUntraced(function* (attempt: number, options: ClientOptions) {
  const { maxRetryMillis, retryMillis } = options
  const full = Math.min(maxRetryMillis, retryMillis * 2 ** Math.min(attempt, 30))
  yield* Effect.sleep(Duration.millis(full * (0.5 + (yield* Random.next) / 2)))
})

/** If a session ends sooner than this after its bind, the next pause is longer. */
const steadyMillis = 30_000

/** Binds, and stays bound until the scope closes. */
export const makeClient = Effect.fnUntraced(function* (
  options: ClientOptions,
): Effect.fn.Return<Client, never, Scope.Scope> {
  const binding = (): State => ({ _tag: "Binding", done: Deferred.makeUnsafe() })
  let state: State = binding()
  const become = (next: Exclude<State, { readonly _tag: "Binding" }>): void => {
    const before = state
    state = next
    if (before._tag !== "Binding") return
    const told = next._tag === "Bound" ? next.session : next.why
    Deferred.doneUnsafe(before.done, Effect.succeed(told))
  }
  const down = (message: string) => become({ _tag: "Down", why: { _tag: "NotSent", message } })

  /** Runs one session from bind to end. Returns whether it lasted. */
  const once = Effect.gen(function* () {
    if (state._tag === "Down") state = binding()
    const session = yield* openSession(options)
    become({ _tag: "Bound", session })
    yield* Effect.logDebug("Bound to the gateway")
    const since = yield* Clock.currentTimeMillis
    yield* session.closed
    down("The connection to the gateway was lost")
    return (yield* Clock.currentTimeMillis) - since >= steadyMillis
  }).pipe(
    Effect.scoped,
    Effect.catch((problem) => {
      const why = downOf(problem, options.statuses)
      become({ _tag: "Down", why })
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
  yield* Effect.addFinalizer(() => Effect.sync(() => down("The gateway was closed")))
  return {
    session: Effect.suspend(() => {
      switch (state._tag) {
        case "Binding":
          return Deferred.await(state.done)
        case "Bound":
          return Effect.succeed(state.session)
        case "Down":
          return Effect.succeed(state.why)
      }
    }),
    unanswered: () => (state._tag === "Bound" ? state.session.unanswered() : 0),
  }
})
