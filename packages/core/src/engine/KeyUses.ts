/**
 * Records when API keys were last used. A request only notes the use in memory, and a background task writes it.
 *
 * A node notes a key at most once a minute, and the store refuses a use within a minute of the recorded one, so
 * all nodes together write a key at most once a minute. A node that stops without closing loses the uses of
 * about a second.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { sampleMillis } from "../domain/access/ApiKey.ts"
import { BoundedCache } from "../domain/values/BoundedCache.ts"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { ApiKeyId, OrganizationId } from "../domain/values/Ids.ts"
import { type KeyUse, Store } from "../ports/Store.ts"

/** Number of keys whose last noted use a node remembers. */
const remembered = 20_000

/** Maximum number of uses that wait to be written. Further keys are noted at a later request. */
export const maxWaiting = 10_000

const perWrite = 1_000

/** Pause before a write, which collects uses and spaces out the tries while the store is unavailable. */
export const pause = Duration.seconds(1)

/** Longest wait for the last write when the engine closes. */
export const closingTime = Duration.seconds(2)

export class KeyUses extends Context.Service<
  KeyUses,
  {
    /** Notes a use at `at`, in epoch milliseconds, unless one was noted less than a minute before. */
    readonly note: (organization: OrganizationId, id: ApiKeyId, at: number) => void
    /** Writes all noted uses. If it fails, they stay noted. */
    readonly flush: Effect.Effect<void, StoreUnavailable>
    /** Waits until a use is noted. */
    readonly noted: Effect.Effect<void>
  }
>()("@countersign/core/engine/KeyUses") {}

const make = Effect.gen(function* () {
  const store = yield* Store
  const last = new BoundedCache<ApiKeyId, number>(remembered)
  const waiting = new Map<ApiKeyId, KeyUse>()
  const isNoted = Latch.makeUnsafe()

  const isSampled = (id: ApiKeyId, at: number): boolean => {
    const before = last.get(id)
    // A clock that was set back does not stop the samples.
    return before !== undefined && Math.abs(at - before) < sampleMillis
  }

  const write = Effect.suspend(() => {
    const uses = [...waiting.values()].slice(0, perWrite)
    return Effect.map(store.recordKeyUses(uses), () => {
      // A later use of the same key was noted meanwhile, and stays.
      for (const use of uses) if (waiting.get(use.id) === use) waiting.delete(use.id)
      if (waiting.size === 0) isNoted.closeUnsafe()
    })
  })

  return KeyUses.of({
    note: (organization, id, at) => {
      if (isSampled(id, at) || waiting.size >= maxWaiting) return
      last.set(id, at)
      waiting.set(id, { organization, id, at })
      isNoted.openUnsafe()
    },
    flush: Effect.whileLoop({ while: () => waiting.size > 0, body: () => write, step: () => {} }),
    noted: isNoted.await,
  })
})

export const layer = Layer.effect(KeyUses, make)

/** Writes the noted uses for the lifetime of the layer, and once more when it closes. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const { flush, noted } = yield* KeyUses
    yield* Effect.addFinalizer(() =>
      flush.pipe(Effect.interruptible, Effect.timeoutOption(closingTime), Effect.ignoreCause),
    )
    yield* noted.pipe(
      Effect.andThen(Effect.sleep(pause)),
      Effect.andThen(flush),
      // The uses stay noted, so the next try writes them.
      Effect.ignoreCause,
      Effect.forever,
      Effect.forkScoped,
    )
  }),
)
