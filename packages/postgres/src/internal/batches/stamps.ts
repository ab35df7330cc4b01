/**
 * The stamps of commits. A commit writes its stamp to the accounts that it changes, so the stamp of an organization
 * names the commit that has changed it last. A stamp never repeats: a database that was restored, or that a failover
 * has taken back, has other stamps for its later commits than those that it has lost.
 */
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"

export type NextStamp = () => number

/** Stamps from a random start, one after another. That two nodes meet is as improbable as a guess of 52 bits. */
export const makeStamps = (
  random: SecureRandom.SecureRandom["Service"],
): Effect.Effect<NextStamp> =>
  Effect.map(random.intBetween(1, 2 ** 52), (start) => {
    let next = start
    return () => next++
  })
