import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Ids from "../../domain/Ids.ts"

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
