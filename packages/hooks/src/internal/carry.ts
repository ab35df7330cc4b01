/**
 * Carries the message of another server: commits it, then waits for its outcome for as long as that server waits.
 */
import { CountersignError, UnavailableError } from "countersign"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import type { Carrier, HookOptions } from "./types.ts"

export interface CarriedMessage {
  readonly phoneNumber: string
  readonly text: string
  readonly sender?: string | undefined
  /** For how long the message is of use, in milliseconds. */
  readonly usefulMillis?: number | undefined
  /** Identifies the message: the same in every request for it, and in no request for another one. */
  readonly key: ReadonlyArray<string>
  /** Whether the key is only the content. Then a request with it is a new message an hour later. */
  readonly isContent?: boolean | undefined
}

export type Carry = (
  secret: string,
  message: CarriedMessage,
) => Effect.Effect<void, CountersignError>

/** Servers wait for 5 seconds. */
const budgetMillis = 4_000

/** Longest wait for the commit. The rest of the budget is for the answer of the gateway. */
const commitMillis = 3_000

/** The user has asked for another code by then. */
const usefulMillis = 300_000

/** Longer than all servers retry. */
const repeatMillis = 3_600_000

const digits = 44

/** Whether the engine has not decided about a message. Once it was committed, it may still be sent. */
export const isUndecided = (error: CountersignError): boolean => {
  switch (error.code) {
    case "disposed":
    case "idempotency_in_flight":
    case "unavailable":
      return true
    case "sending_failed":
      return error.status === "unknown"
    default:
      return false
  }
}

const calling = <A>(call: () => A | Promise<A>): Effect.Effect<A, CountersignError> =>
  Effect.catch(Effect.tryPromise({ try: async () => call(), catch: (error) => error }), (error) =>
    error instanceof CountersignError ? Effect.fail(error) : Effect.die(error),
  )

const notCommitted = new UnavailableError({ reason: "timeout", retryAfterSeconds: 1 })

/** Other servers write numbers with spaces, dashes and brackets. */
const bare = (phoneNumber: string): string => phoneNumber.replaceAll(/[\s().-]/g, "")

/** The time of the engine, in epoch milliseconds. */
export const currentTimeOf = (clock: HookOptions["clock"]): Effect.Effect<number> =>
  clock === undefined ? Clock.currentTimeMillis : Effect.sync(() => clock.now().getTime())

/** `system`: the name of the server. Two servers may use the same keys. */
export const makeCarry = (
  { messages }: Carrier,
  { channel, clock, sender }: HookOptions,
  system: string,
): Carry => {
  const currentTime = currentTimeOf(clock)

  const idFor = Effect.fnUntraced(function* (
    secret: string,
    { isContent = false, key }: CarriedMessage,
    now: number,
  ) {
    const idIn = (hour: number): string => {
      const keyed = createHmac("sha256", secret).update(JSON.stringify([system, hour, ...key]))
      return `msg_${keyed.digest("hex").slice(0, digits)}`
    }
    if (!isContent) return idIn(0)
    const hour = Math.floor(now / repeatMillis)
    const before = idIn(hour - 1)
    const found = yield* calling(() => messages.getQueued({ id: before })).pipe(
      Effect.catchIf(
        ({ code }) => code === "message_not_found",
        () => Effect.undefined,
      ),
    )
    const isRepeat = found !== undefined && found.createdAt.getTime() > now - repeatMillis
    return isRepeat ? before : idIn(hour)
  })

  const commit = Effect.fnUntraced(function* (
    secret: string,
    message: CarriedMessage,
    now: number,
  ) {
    const id = yield* idFor(secret, message, now)
    const { phoneNumber, text } = message
    yield* calling(() =>
      messages
        .prepare({
          id,
          phoneNumber: bare(phoneNumber),
          text,
          channel,
          sender: message.sender ?? sender,
          // Nodes take it only if this one has not sent it by then.
          sendAt: new Date(now + budgetMillis),
          expiresAt: new Date(now + budgetMillis + (message.usefulMillis ?? usefulMillis)),
        })
        .enqueue(),
    )
    return id
  })

  return Effect.fnUntraced(function* (secret, message) {
    const [elapsed, id] = yield* currentTime.pipe(
      Effect.flatMap((now) => commit(secret, message, now)),
      Effect.timeoutOrElse({ duration: commitMillis, orElse: () => Effect.fail(notCommitted) }),
      Effect.timed,
    )
    const sent = calling(() => messages.dispatch({ id }))
    yield* sent.pipe(
      Effect.catchIf(isUndecided, () => Effect.void),
      Effect.timeoutOption(budgetMillis - Duration.toMillis(elapsed)),
    )
  })
}
