/** The rules of batches: how they are opened, written, changed and paced, and how their queued messages are dropped. */
import type { OrganizationEvent } from "../../domain/events/Event.ts"
import * as Batch from "../../domain/outbox/Batch.ts"
import * as QueuedSend from "../../domain/outbox/QueuedSend.ts"
import * as Decider from "../shared/Decider.ts"
import type * as Shared from "../shared/Results.ts"

interface OfBatch {
  readonly batchId: string
}

export interface Commands {
  /** Opens a batch, unless it exists. */
  readonly OpenBatch: OfBatch &
    Pick<Batch.Batch, "fingerprint" | "salt"> & { readonly terms: Batch.BatchTerms }
  /** Writes the next block of recipients. Those that were given before are counted as duplicates. */
  readonly AddToBatch: OfBatch & {
    /** The number of blocks before it. */
    readonly block: number
    readonly chain: Uint8Array
    readonly sends: ReadonlyArray<Batch.BatchSend>
    /** The number of recipients of the block that are not valid. */
    readonly refused: number
  }
  readonly ChangeBatch: OfBatch & {
    readonly change: Batch.Change
    /** Why it is paused. @defaultValue `caller` */
    readonly reason?: Batch.PauseReason | undefined
  }
  /** Grants a number of messages that a node may take now. */
  readonly PaceBatch: OfBatch & { readonly wanted: number }
  /** Ends queued messages of a batch that is cancelled. */
  readonly DropQueued: OfBatch & { readonly ids: ReadonlyArray<string> }
}

/** The batch as it is now. */
interface Changed {
  readonly _tag: "BatchChanged"
  readonly batch: Batch.Batch
}

/** Its status does not allow it. */
interface Unchangeable {
  readonly _tag: "BatchUnchangeable"
  readonly batch: Batch.Batch
}

/** The id belongs to a batch with other terms or other recipients. */
type Mismatch = Shared.Tagged<"BatchMismatch">

export interface Results {
  readonly OpenBatch: Changed | Mismatch
  readonly AddToBatch: Changed | Unchangeable | Mismatch | Shared.NotFound
  readonly ChangeBatch: Changed | Unchangeable | Shared.NotFound
  readonly PaceBatch: { readonly _tag: "Granted"; readonly count: number }
  readonly DropQueued: { readonly _tag: "Dropped"; readonly count: number }
}

type Decide<T extends keyof Commands> = Decider.Decider<Shared.Of<Commands, T>, Results[T]>

const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

const changed = (batch: Batch.Batch): Changed => ({ _tag: "BatchChanged", batch })

export const openBatch: Decide<"OpenBatch"> = ({ account, now, view }, command) => {
  const { batchId: id, fingerprint, salt, terms } = command
  if (view.batch !== undefined) {
    return Decider.answer(
      isSame(view.batch.fingerprint, fingerprint) ? changed(view.batch) : mismatch,
    )
  }
  const { organization } = account
  const batch = Batch.make({ organization, id }, terms, { fingerprint, salt }, now)
  return Decider.answer(changed(batch), { account, batch })
}

const mismatch = { _tag: "BatchMismatch" } as const
const notFound = { _tag: "NotFound" } as const

export const addToBatch: Decide<"AddToBatch"> = ({ account, view }, command) => {
  const { batch, queuedRows } = view
  const { block, chain, refused, sends } = command
  if (batch === undefined) return Decider.answer(notFound)
  if (block < batch.blocks) {
    // Only the digest of the last block is known, which is that of all blocks before it.
    const isOther = block === batch.blocks - 1 && !isSame(batch.chain, chain)
    return Decider.answer(isOther ? mismatch : changed(batch))
  }
  if (batch.status !== "writing" || block > batch.blocks) {
    return Decider.answer({ _tag: "BatchUnchangeable", batch })
  }
  const known = new Set(queuedRows.map(({ id }) => id))
  const added = sends.filter(({ send: { id } }) => !known.has(id) && known.add(id))
  const duplicates = sends.length - added.length
  const after = Batch.add(batch, added, { chain, duplicates, refused })
  return Decider.answer(changed(after), {
    account,
    batch: after,
    queuedRows: added.map(({ send }) => QueuedSend.make(send)),
  })
}

const eventOf = (
  before: Batch.Batch,
  { id, organization, pausedReason, recipients, status }: Batch.Batch,
  at: number,
): ReadonlyArray<OrganizationEvent> => {
  if (status === "done" && before.status !== status) {
    return [{ _tag: "BatchDone", organization, at, batchId: id, recipients }]
  }
  return pausedReason !== null && before.pausedReason !== pausedReason
    ? [{ _tag: "BatchPaused", organization, at, batchId: id, reason: pausedReason }]
    : []
}

export const changeBatch: Decide<"ChangeBatch"> = ({ account, now, view }, { change, reason }) => {
  const { batch } = view
  if (batch === undefined) return Decider.answer(notFound)
  const after = Batch.change(batch, change, now, reason)
  if (after === undefined) return Decider.answer({ _tag: "BatchUnchangeable", batch })
  if (after === batch) return Decider.answer(changed(batch))
  return Decider.answer(changed(after), { account, batch: after }, eventOf(batch, after, now))
}

export const paceBatch: Decide<"PaceBatch"> = ({ account, now, view }, { wanted }) => {
  const { batch } = view
  if (batch?.status !== "running") return Decider.answer({ _tag: "Granted", count: 0 })
  const { batch: after, count } = Batch.grant(batch, wanted, now)
  return Decider.answer(
    { _tag: "Granted", count },
    after === batch ? {} : { account, batch: after },
  )
}

export const dropQueued: Decide<"DropQueued"> = ({ account, now, view }) => {
  const { batch, queuedRows } = view
  const open = batch?.status === "cancelled" ? queuedRows.filter(({ end }) => end === null) : []
  if (open.length === 0) return Decider.answer({ _tag: "Dropped", count: 0 })
  return Decider.answer(
    { _tag: "Dropped", count: open.length },
    { account, queuedRows: open.map((send) => QueuedSend.end(send, "cancelled", null, now)) },
  )
}
