/** Ends what is left of batches: drops the messages of those that are cancelled, and finds those that are done. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  type Batch,
  type BatchRef,
  blockSize,
  type Change,
  isAbandoned,
} from "../../domain/outbox/Batch.ts"
import { Commits } from "../../engine/Commits.ts"
import { Store } from "../../ports/Store.ts"

/** Number of batches that one read finds. */
const pageSize = 64

export const makeBatchUpkeep = Effect.gen(function* () {
  const commits = yield* Commits
  const store = yield* Store

  /** Ends the messages that wait, block by block. */
  const drop = Effect.fnUntraced(function* ({ id: batchId, organization }: Batch) {
    for (;;) {
      const ids = yield* store.openQueued({ organization, queue: batchId }, blockSize)
      if (ids.length === 0) return
      yield* commits.run({ _tag: "DropQueued", organization, batchId, ids })
    }
  })

  const upkeepOf = Effect.fnUntraced(function* (batch: Batch) {
    const { id: batchId, organization, status } = batch
    const change = (change: Change) =>
      commits.run({ _tag: "ChangeBatch", organization, batchId, change })
    if (status === "writing") {
      if (isAbandoned(batch, yield* Clock.currentTimeMillis)) yield* change("abandon")
      return
    }
    if (status === "cancelled") yield* drop(batch)
    const open = yield* store.openQueued({ organization, queue: batchId }, 1)
    if (open.length > 0) return
    yield* change("finish")
  })

  /** One look at all open batches. */
  return Effect.gen(function* () {
    let after: BatchRef | undefined
    do {
      const page: ReadonlyArray<Batch> = yield* store.openBatches(after, pageSize)
      for (const batch of page) {
        yield* Effect.catchCause(upkeepOf(batch), (cause) =>
          Effect.logWarning(
            "A batch could not be looked after; the next look will try again",
            { batch: batch.id },
            cause,
          ),
        )
      }
      after = page.length < pageSize ? undefined : page.at(-1)
    } while (after !== undefined)
  })
})
