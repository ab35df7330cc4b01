/** Waits for the outcomes of messages. Events of other processes, and in a burst, may be missed. */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Events } from "../Events.ts"
import type { MessageRef } from "../../domain/Ids.ts"
import type { Status } from "../../domain/Message.ts"

/** A message whose outcome a caller waits for. */
export interface SettlementWait {
  /** The final status of the message; `undefined` if it does not come in time. */
  readonly within: (millis: number) => Effect.Effect<Status | undefined>
  /** Ends the wait. Required unless `within` is called, which ends it as well. */
  readonly forget: Effect.Effect<void>
}

const keyOf = ({ sequence, organization }: MessageRef): string => `${organization}:${sequence}`

/**
 * Listens for the lifetime of its scope. Register a message before it is sent, or its event may be missed.
 */
export const makeSettlementWaits = Effect.gen(function* () {
  const events = yield* Events
  const expected = new Map<string, Deferred.Deferred<Status>>()

  yield* events.stream.pipe(
    Stream.runForEach((event) => {
      if (event._tag !== "MessageSettled") return Effect.void
      const key = keyOf({ organization: event.organization, sequence: event.messageSequence })
      const waiting = expected.get(key)
      return waiting === undefined ? Effect.void : Deferred.succeed(waiting, event.status)
    }),
    Effect.forkScoped({ startImmediately: true }),
  )

  return (ref: MessageRef): SettlementWait => {
    const key = keyOf(ref)
    const settled = Deferred.makeUnsafe<Status>()
    expected.set(key, settled)
    const forget = Effect.sync(() => {
      expected.delete(key)
    })
    return {
      within: (millis) =>
        Deferred.await(settled).pipe(
          Effect.timeoutOption(Duration.millis(millis)),
          Effect.map(Option.getOrUndefined),
          Effect.ensuring(forget),
        ),
      forget,
    }
  }
})
