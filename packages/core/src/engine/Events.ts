/** Domain events, for listeners in this process. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { Event } from "../domain/events/Event.ts"

/** Number of events that a slow listener may lag behind before it misses the oldest. */
export const capacity = 4_096

/** Publishes committed events. A listener that is too slow loses events, and delays nothing. */
export class Events extends Context.Service<
  Events,
  {
    /** Publishes events without waiting, because every commit calls it. */
    readonly publishUnsafe: (events: ReadonlyArray<Event>) => void
    /** Every event after the subscription. */
    readonly stream: Stream.Stream<Event>
  }
>()("@countersign/core/engine/Events") {}

const make = Effect.gen(function* () {
  const pubsub = yield* PubSub.sliding<Event>(capacity)
  yield* Effect.addFinalizer(() => PubSub.shutdown(pubsub))
  return Events.of({
    publishUnsafe: (events) => {
      for (const event of events) PubSub.publishUnsafe(pubsub, event)
    },
    stream: Stream.fromPubSub(pubsub),
  })
})

export const layer = Layer.effect(Events, make)
