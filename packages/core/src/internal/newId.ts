import * as Clock from "effect/Clock"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Ids from "../Ids.ts"

/** A fresh sortable id. This node's clock only orders ids; no rule reads the time back. */
export const newId = (
  random: SecureRandom.SecureRandom["Service"],
  prefix: string,
): Effect.Effect<string> =>
  Effect.zipWith(Clock.currentTimeMillis, random.randomBytes(Ids.randomBytes), (now, bytes) =>
    Ids.sortable(prefix, now, bytes),
  )
