import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Ids from "../../domain/values/Ids.ts"

/** A new sortable id. This node's clock only orders ids; no rule reads the time back. */
export const newId = (
  random: SecureRandom.SecureRandom["Service"],
  prefix: string,
): Effect.Effect<string> =>
  Effect.clockWith((clock) =>
    Effect.map(random.randomBytes(Ids.randomBytes), (bytes) =>
      Ids.sortable(prefix, clock.currentTimeMillisUnsafe(), bytes),
    ),
  )

/** A version of settings that no other change has, also none that a restore of the database has undone. */
export const newVersion = (random: SecureRandom.SecureRandom["Service"]): Effect.Effect<number> =>
  random.intBetween(1, Number.MAX_SAFE_INTEGER)

/** The ids of a new message, and of a new request that it may be for. */
export interface NewIds {
  readonly message: Ids.MessageId
  readonly requestId: Ids.RequestId
  /** The time of the claim that begins now, by `Clock.monotonicTimeNanos`. */
  readonly claimedAt: bigint
}

/** All of them in one step, because every message takes it. */
export const newIds = (random: SecureRandom.SecureRandom["Service"]): Effect.Effect<NewIds> =>
  Effect.clockWith((clock) =>
    Effect.map(random.randomBytes(2 * Ids.randomBytes), (bytes) => {
      const now = clock.currentTimeMillisUnsafe()
      return {
        message: Ids.MessageId(
          Ids.sortable(Ids.messageIdPrefix, now, bytes.subarray(0, Ids.randomBytes)),
        ),
        requestId: Ids.RequestId(
          Ids.sortable(Ids.requestIdPrefix, now, bytes.subarray(Ids.randomBytes)),
        ),
        claimedAt: clock.monotonicTimeNanosUnsafe(),
      }
    }),
  )
