/**
 * Waits for what becomes of messages, as this process hears of it.
 *
 * What another process hears, or what comes in a rush, may be missed: who waits does so for a bounded time,
 * and asks the store what is true.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Events } from "../Events.ts"
import type { MessageRef } from "../../domain/Ids.ts"
import type { Status } from "../../domain/Message.ts"

/** A message that somebody waits for. */
export interface SettlementWait {
  /** Its last status when that comes in time. */
  readonly within: (millis: number) => Effect.Effect<Status | undefined>
  /** Nobody waits any more. Has to be called, or to be done by `within`. */
  readonly forget: Effect.Effect<void>
}

const keyOf = ({ sequence, organization }: MessageRef): string => `${organization}:${sequence}`

/** Listens for as long as its scope lives. Names a message before it is sent, so that nothing is missed. */
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
