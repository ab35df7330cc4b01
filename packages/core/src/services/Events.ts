/**
 * Domain events, for whoever wants to listen in this process.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { Event } from "../domain/Event.ts"

/** How many events a slow listener may fall behind before it misses the oldest. */
export const capacity = 4_096

/**
 * The events of this process, as they are committed. A listener that is too
 * slow loses events rather than slowing the engine down; the database is the
 * truth, events are news.
 */
export class Events extends Context.Service<
  Events,
  {
    /** Never waits: it is on the way of every commit. */
    readonly publishUnsafe: (events: ReadonlyArray<Event>) => void
    /** Every event after the subscription. */
    readonly stream: Stream.Stream<Event>
  }
>()("@countersign/core/services/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const pubsub = yield* PubSub.sliding<Event>(capacity)
      yield* Effect.addFinalizer(() => PubSub.shutdown(pubsub))
      return Events.of({
        publishUnsafe: (events) => {
          for (const event of events) PubSub.publishUnsafe(pubsub, event)
        },
        stream: Stream.fromPubSub(pubsub),
      })
    }),
  )
}
