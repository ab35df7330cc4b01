/**
 * Records the states of this node's gateways: each pause with its reason and the messages that went elsewhere. A node
 * confirms the states every half minute, so that operators see which nodes run.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import { confirmMillis, type GatewayPeriod } from "../domain/messages/GatewayPeriod.ts"
import { newId } from "./internal/newId.ts"
import { Gateway, statesOf } from "../ports/Gateway.ts"
import { Store } from "../ports/Store.ts"

/** Longest wait for the last write when the engine closes. */
const closingTime = Duration.seconds(2)

/** Maximum number of ended periods that wait to be written. */
const maxWaiting = 1_000

type Moved = GatewayPeriod["moved"]

interface Current {
  readonly period: GatewayPeriod
  /** The numbers of moved messages at its start. */
  readonly before: Moved
}

const since = (now: Moved, before: Moved): Moved =>
  Object.fromEntries(
    Object.entries(now).flatMap(([gateway, count]) => {
      const more = count - (before[gateway] ?? 0)
      return more === 0 ? [] : [[gateway, more]]
    }),
  )

const movedIn = ({ before, period }: Current, now: Moved): Moved =>
  period.state === "available" ? {} : since(now, before)

export class GatewayWatch extends Context.Service<
  GatewayWatch,
  {
    /** The name of this node in the periods. */
    readonly node: string
    /** Records the states as they are now. The next call writes the ended periods that this one could not write. */
    readonly confirm: Effect.Effect<void, StoreUnavailable>
    /** Ends the periods of this node. */
    readonly end: Effect.Effect<void, StoreUnavailable>
    /** Records each change, and confirms the states in between. Never ends. */
    readonly run: Effect.Effect<never>
  }
>()("@countersign/core/engine/GatewayWatch") {}

const make = Effect.gen(function* () {
  const gateway = yield* Gateway
  const store = yield* Store
  const node = yield* newId(yield* SecureRandom.SecureRandom, "nod")
  const current = new Map<string, Current>()
  let waiting: ReadonlyArray<GatewayPeriod> = []

  const write = (periods: ReadonlyArray<GatewayPeriod>) => {
    const all = [...waiting, ...periods]
    waiting = all.filter(({ until }) => until !== null).slice(-maxWaiting)
    return Effect.map(store.saveGatewayPeriods(all), () => {
      waiting = []
    })
  }

  const confirm = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const periods: Array<GatewayPeriod> = []
    for (const one of yield* statesOf(gateway)) {
      const { moved = {}, reason = null, retryAt = null, state } = one
      const known = current.get(one.gateway)
      const isSame = known?.period.state === state
      if (known !== undefined && !isSame) {
        periods.push({ ...known.period, until: now, seenAt: now, moved: movedIn(known, moved) })
      }
      // No message is moved while a gateway is available, so the newest ones belong to the pause that begins.
      const isFirst = isSame || known?.period.state === "available"
      const before = known === undefined ? {} : isFirst ? known.before : moved
      const period: GatewayPeriod = {
        gateway: one.gateway,
        node,
        since: isSame ? known.period.since : now,
        until: null,
        state,
        seenAt: now,
        reason,
        retryAt,
        moved: state === "available" ? {} : since(moved, before),
      }
      current.set(one.gateway, { period, before })
      periods.push(period)
    }
    yield* write(periods)
  })

  const end = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const ended = [...current.values()].map(({ period }) => ({
      ...period,
      until: now,
      seenAt: now,
    }))
    current.clear()
    return write(ended)
  })

  const run = Effect.gen(function* () {
    const changed = yield* Queue.sliding<void>(1)
    yield* (gateway.health ?? Stream.empty).pipe(
      Stream.runForEach(() => Queue.offer(changed, undefined)),
      Effect.forkScoped({ startImmediately: true }),
    )
    return yield* confirm.pipe(
      // Ended periods wait for the next write.
      Effect.ignoreCause,
      Effect.andThen(Effect.timeoutOption(Queue.take(changed), Duration.millis(confirmMillis))),
      Effect.forever,
    )
  }).pipe(Effect.scoped)

  return GatewayWatch.of({ node, confirm, end, run })
})

export const layer = Layer.effect(GatewayWatch, make)

/** Watches for the lifetime of the layer, and ends the periods when it closes. */
export const layerBackground = Layer.effectDiscard(
  Effect.gen(function* () {
    const { end, run } = yield* GatewayWatch
    yield* Effect.addFinalizer(() =>
      end.pipe(Effect.interruptible, Effect.timeoutOption(closingTime), Effect.ignoreCause),
    )
    yield* Effect.forkScoped(run)
  }),
)
