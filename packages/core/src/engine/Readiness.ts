/** Whether a balancer may send requests to this node. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Store } from "../ports/Store.ts"

/**
 * Why a node is not ready. `draining`: it stops. `database`: the database does not answer within two seconds.
 * `migrations`: the tables lack a migration of this build, or belong to another one.
 */
export type UnreadyReason = "draining" | "database" | "migrations"

export class Readiness extends Context.Service<
  Readiness,
  {
    /** `undefined`: the node is ready. Callers within a second share one question to the database. */
    readonly unready: Effect.Effect<UnreadyReason | undefined>
    /** From now on, the node is not ready. */
    readonly drainUnsafe: () => void
  }
>()("@countersign/core/engine/Readiness") {}

/** How long the database may take. */
const limit = Duration.seconds(2)

/** How long an answer of the database counts. */
const shared = Duration.seconds(1)

const make = Effect.gen(function* () {
  const store = yield* Store
  let isDraining = false
  const ofDatabase = store.isMigrated.pipe(
    Effect.timeoutOption(limit),
    Effect.exit,
    Effect.map((exit): UnreadyReason | undefined => {
      const isMigrated = Exit.isSuccess(exit) ? Option.getOrUndefined(exit.value) : undefined
      if (isMigrated === undefined) return "database"
      return isMigrated ? undefined : "migrations"
    }),
  )
  const asked = yield* Effect.cachedWithTTL(ofDatabase, shared)
  return Readiness.of({
    unready: Effect.suspend(() => (isDraining ? Effect.succeed("draining") : asked)),
    drainUnsafe: () => {
      isDraining = true
    },
  })
})

export const layer = Layer.effect(Readiness, make)
