/**
 * Lets sends of long queues wait while a send of a short queue is on its way. The short queue then shares the event
 * loop and the database with fewer sends. The sends of long queues wait for half of the time at most.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/** How long they wait at most, and how long they do not wait after that. */
const turn = Duration.millis(10)

export interface RightOfWay {
  /** Gives the right of way to an effect. */
  readonly give: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits while another effect has the right of way. */
  readonly wait: Effect.Effect<void>
  /** Without it, no effect waits. */
  readonly run: Effect.Effect<never>
}

export const makeRightOfWay = (): RightOfWay => {
  const isOpen = Latch.makeUnsafe(true)
  const begun = Latch.makeUnsafe(false)
  const ended = Latch.makeUnsafe(false)
  /** The effects that have begun since the last turn, and have not ended. */
  let onTheWay = new Set<object>()

  const begin = (): object => {
    const one = {}
    onTheWay.add(one)
    ended.closeUnsafe()
    begun.openUnsafe()
    return one
  }

  const end = (one: object): void => {
    if (onTheWay.delete(one) && onTheWay.size === 0) ended.openUnsafe()
  }

  const oneTurn = Effect.gen(function* () {
    yield* begun.await
    isOpen.closeUnsafe()
    yield* Effect.timeoutOption(ended.await, turn)
    // What takes longer waits for its gateway.
    onTheWay = new Set()
    begun.closeUnsafe()
    isOpen.openUnsafe()
    yield* Effect.sleep(turn)
  })

  return {
    give: (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(begin),
        () => effect,
        (one) => Effect.sync(() => end(one)),
      ),
    wait: isOpen.await,
    run: Effect.forever(oneTurn),
  }
}
