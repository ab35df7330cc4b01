/**
 * Records when API keys were last used, and counts their requests. A request only notes the use in memory, and a
 * background task writes it.
 *
 * A node writes a key at most once a minute, and the store refuses a use within a minute of the recorded one. So all
 * nodes together record the use of a key at most once a minute. A node that stops without closing loses the uses of
 * about a second, and the counts of about a minute.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { sampleMillis } from "../domain/access/ApiKey.ts"
import * as Counter from "../domain/money/Counter.ts"
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
    /** Notes a use at `at`, in epoch milliseconds. It is written with the next one that is a minute after a written one. */
    readonly note: (organization: OrganizationId, id: ApiKeyId, at: number) => void
    /** Writes the uses that are due. If it fails, they stay noted. */
    readonly write: Effect.Effect<void, StoreUnavailable>
    /** Makes the counted uses of keys due that were not used for a minute. */
    readonly sweep: Effect.Effect<void>
    /** Writes all uses. If it fails, they stay noted. */
    readonly flush: Effect.Effect<void, StoreUnavailable>
    /** Waits until a use is noted. */
    readonly noted: Effect.Effect<void>
  }
>()("@countersign/core/engine/KeyUses") {}

/** A use, and the number of requests since the last write. */
interface Counted extends KeyUse {
  readonly count: number
}

const make = Effect.gen(function* () {
  const store = yield* Store
  const last = new BoundedCache<ApiKeyId, number>(remembered)
  const counted = new Map<ApiKeyId, Counted>()
  const waiting = new Map<ApiKeyId, KeyUse>()
  const isNoted = Latch.makeUnsafe()

  const isSampled = (id: ApiKeyId, at: number): boolean => {
    const before = last.get(id)
    // A clock that was set back does not stop the samples.
    return before !== undefined && Math.abs(at - before) < sampleMillis
  }

  const wait = (use: KeyUse): void => {
    last.set(use.id, use.at)
    waiting.set(use.id, use)
    isNoted.openUnsafe()
  }

  /** Requests that came during the write stay counted. */
  const forget = (id: ApiKeyId, written: number): void => {
    const now = counted.get(id)
    if (now === undefined) return
    if (now.count === written) counted.delete(id)
    else counted.set(id, { ...now, count: now.count - written })
  }

  const writeSome = Effect.suspend(() => {
    const uses = [...waiting.values()].slice(0, perWrite)
    const counts = uses.flatMap(({ id }) => counted.get(id) ?? [])
    const counters = counts.map(({ at, count, id: subject }) =>
      Counter.one({ kind: "requests", subject, name: "", count }, at),
    )
    return store.recordKeyUses(uses).pipe(
      Effect.andThen(store.addCounters(counters)),
      Effect.map(() => {
        for (const { count, id } of counts) forget(id, count)
        // A later use of the same key was noted meanwhile, and stays.
        for (const use of uses) if (waiting.get(use.id) === use) waiting.delete(use.id)
        if (waiting.size === 0) isNoted.closeUnsafe()
      }),
    )
  })

  const write = Effect.whileLoop({
    while: () => waiting.size > 0,
    body: () => writeSome,
    step: () => {},
  })

  const makeDue = (isDue: (use: KeyUse) => boolean): void => {
    for (const { at, id, organization } of counted.values()) {
      const use = { organization, id, at }
      if (!waiting.has(id) && isDue(use)) wait(use)
    }
  }

  return KeyUses.of({
    note: (organization, id, at) => {
      const before = counted.get(id)
      if (before === undefined && counted.size >= maxWaiting) return
      const use = { organization, id, at }
      counted.set(id, { ...use, count: (before?.count ?? 0) + 1 })
      if (!isSampled(id, at) && waiting.size < maxWaiting) wait(use)
    },
    write,
    // A key that is in use becomes due at its own next request.
    sweep: Effect.map(Clock.currentTimeMillis, (now) =>
      makeDue(({ at }) => now - at >= sampleMillis),
    ),
    flush: Effect.suspend(() => {
      makeDue(() => true)
      return write
    }),
    noted: isNoted.await,
  })
})

export const layer = Layer.effect(KeyUses, make)

/** Writes the noted uses for the lifetime of the layer, and once more when it closes. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const { flush, noted, sweep, write } = yield* KeyUses
    yield* Effect.addFinalizer(() =>
      flush.pipe(Effect.interruptible, Effect.timeoutOption(closingTime), Effect.ignoreCause),
    )
    yield* noted.pipe(
      Effect.andThen(Effect.sleep(pause)),
      Effect.andThen(write),
      // The uses stay noted, so the next try writes them.
      Effect.ignoreCause,
      Effect.forever,
      Effect.forkScoped,
    )
    yield* Effect.sleep(sampleMillis).pipe(Effect.andThen(sweep), Effect.forever, Effect.forkScoped)
  }),
)
