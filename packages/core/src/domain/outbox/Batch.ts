/**
 * A batch: messages of one text to many recipients, which wait in a queue of the outbox.
 *
 * Its recipients are written in blocks, in their order. It sends nothing before all are written, so a call that dies in
 * between sends nothing, and a repeat goes on where it ended.
 */
import type { Channel } from "../values/Channel.ts"
import { keptMillis } from "../values/IdempotencyKey.ts"
import type { OrganizationId } from "../values/Ids.ts"
import { plus } from "../money/Total.ts"
import * as Money from "../values/Money.ts"
import type { MessageClass } from "../values/MessageClass.ts"
import type { MessageStatus } from "../messages/MessageStatus.ts"
import { type End, ends, type NewQueuedSend } from "./QueuedSend.ts"

/** `writing`: its recipients are being written. `done`: no message of it waits any more. */
export const batchStatuses = ["writing", "running", "paused", "done", "cancelled"] as const

export type BatchStatus = (typeof batchStatuses)[number]

/** `balance`: the balance did not cover the next message. */
export const pauseReasons = ["caller", "balance"] as const

export type PauseReason = (typeof pauseReasons)[number]

export const batchIdPrefix = "bat"

/** Number of recipients that one commit writes. */
export const blockSize = 1_000

const secondMillis = 1_000

/** How often a batch that sends records it, at most. */
export const activeMillis = 30_000

/** A batch that has recorded no send for as long as this stands still. */
export const idleMillis = 60_000

/** Range of `pace`, in messages a second. */
export const paces = { min: 1, max: 10_000 }

/** The terms of a batch, which its caller has chosen. */
export interface BatchTerms {
  /** The text, with placeholders. */
  readonly text: string
  readonly class: MessageClass
  readonly channel: Channel
  readonly sender: string | null
  /** When its messages are sent at the earliest; `null`: at once. */
  readonly sendAt: number | null
  readonly expiresAt: number | null
  /** Messages a second; `null`: no bound. */
  readonly pace: number | null
}

export interface Batch extends BatchTerms {
  readonly organization: OrganizationId
  readonly id: string
  readonly status: BatchStatus
  /** Why it is paused; `null` if it is not. */
  readonly pausedReason: PauseReason | null
  /** Whether messages of it may wait. */
  readonly isOpen: boolean
  /** Digest of the terms. */
  readonly fingerprint: Uint8Array
  /** Random; part of the ids of its messages, which would show the phone numbers otherwise. */
  readonly salt: Uint8Array
  /** Number of blocks that are written. */
  readonly blocks: number
  /** Digest of all recipients that are written, by which a repeat proves that it has the same. */
  readonly chain: Uint8Array
  /** Number of messages. */
  readonly recipients: number
  /** Number of recipients that were given before. */
  readonly duplicates: number
  /** Number of recipients that are not valid. */
  readonly refused: number
  /** Number of segments of all messages. */
  readonly segments: number
  /** The price of all messages. */
  readonly estimate: Money.Money
  readonly createdAt: number
  /** When it began to send; `null` before. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** When the next message may be sent, if it has a pace: milliseconds since its start, times the pace. */
  readonly pacedUntil: number
  /** When it last began to run, or recorded that it sends. */
  readonly activeAt: number
  /** How long it has stood still since its start: it was paused, or its messages waited. */
  readonly idleFor: number
}

export interface BatchRef {
  readonly organization: OrganizationId
  readonly id: string
}

/** A recipient of a block, and what its message costs. */
export interface BatchSend {
  readonly send: NewQueuedSend
  readonly segments: number
  readonly price: Money.Money
}

/** The messages of a batch with one outcome: the status of a message, or how a queued one has ended. */
export interface BatchTotal {
  readonly organization: OrganizationId
  readonly batch: string
  readonly outcome: MessageStatus | Exclude<End, "sent">
  readonly count: number
  readonly amount: Money.Money
  /** The part of `amount` that was given back. */
  readonly refunded: Money.Money
}

/** How messages end that are never charged. */
export const drops: ReadonlyArray<Exclude<End, "sent">> = ends.flatMap((one) =>
  one === "sent" ? [] : [one],
)

export const make = (
  ref: BatchRef,
  terms: BatchTerms,
  own: Pick<Batch, "fingerprint" | "salt">,
  now: number,
): Batch => ({
  ...terms,
  ...ref,
  ...own,
  status: "writing",
  pausedReason: null,
  isOpen: true,
  blocks: 0,
  chain: new Uint8Array(),
  recipients: 0,
  duplicates: 0,
  refused: 0,
  segments: 0,
  estimate: Money.zero,
  createdAt: now,
  startedAt: null,
  endedAt: null,
  pacedUntil: 0 - secondMillis * (terms.pace ?? 0),
  activeAt: now,
  idleFor: 0,
})

/** With a further block. `sends`: those that are new. */
export const add = (
  self: Batch,
  sends: ReadonlyArray<BatchSend>,
  block: Pick<Batch, "chain" | "duplicates" | "refused">,
): Batch => ({
  ...self,
  blocks: self.blocks + 1,
  chain: block.chain,
  recipients: self.recipients + sends.length,
  duplicates: self.duplicates + block.duplicates,
  refused: self.refused + block.refused,
  segments: sends.reduce((sum, { segments }) => sum + segments, self.segments),
  estimate: sends.reduce((sum, { price }) => plus(sum, price), self.estimate),
})

/** `start`: all its recipients are written. `abandon`: no call writes them. `finish`: none of its messages waits. */
export const changes = ["start", "abandon", "pause", "resume", "cancel", "finish"] as const

export type Change = (typeof changes)[number]

/** All the time since `activeAt` counts as idle. */
const endIdle = (self: Batch, now: number): Batch => ({
  ...self,
  activeAt: now,
  idleFor: self.idleFor + now - self.activeAt,
})

const record = (self: Batch, now: number): Batch =>
  now - self.activeAt < idleMillis ? { ...self, activeAt: now } : endIdle(self, now)

/** Records that it sends. Itself if that was recorded a moment ago, so that few messages of a batch write its row. */
export const send = (self: Batch, now: number): Batch =>
  now - self.activeAt < activeMillis ? self : record(self, now)

/** Whether it stands still at a time when it could send. */
export const isIdle = ({ activeAt, sendAt }: Batch, now: number): boolean =>
  now - Math.max(activeAt, sendAt ?? 0) >= idleMillis

/** For how long it has been sending. */
export const activeFor = ({ idleFor, startedAt }: Batch, now: number): number =>
  Math.max(0, now - (startedAt ?? now) - idleFor)

const run = (self: Batch, now: number): Batch => ({
  ...(self.startedAt === null ? { ...self, startedAt: now, activeAt: now } : endIdle(self, now)),
  status: "running",
  pausedReason: null,
})

const none = (self: Batch): Batch => self

const cancel = (self: Batch, endedAt: number): Batch => ({ ...self, status: "cancelled", endedAt })

/** Whether the key of the call that writes it is forgotten, so that none can go on. */
export const isAbandoned = ({ createdAt, status }: Batch, now: number): boolean =>
  status === "writing" && createdAt + keptMillis <= now

/** The batch after each change, by its status before. A status that is missing does not allow the change. */
const transitions: {
  readonly [C in Change]: Partial<
    Record<BatchStatus, (self: Batch, now: number, reason: PauseReason) => Batch>
  >
} = {
  start: { writing: run, running: none, paused: none, done: none },
  abandon: { writing: (self, now) => (isAbandoned(self, now) ? cancel(self, now) : self) },
  pause: {
    running: (self, now, pausedReason) => ({
      ...record(self, now),
      status: "paused",
      pausedReason,
    }),
    // A caller's pause stays when the balance covers the messages again.
    paused: (self, _now, reason) =>
      reason === "caller" && self.pausedReason !== reason
        ? { ...self, pausedReason: reason }
        : self,
  },
  resume: { paused: run, running: none },
  cancel: {
    writing: cancel,
    running: cancel,
    paused: (self, endedAt) => ({ ...cancel(self, endedAt), pausedReason: null }),
    cancelled: none,
  },
  finish: {
    running: (self, endedAt) => ({ ...self, status: "done", isOpen: false, endedAt }),
    paused: (self, endedAt) => ({
      ...self,
      status: "done",
      pausedReason: null,
      isOpen: false,
      endedAt,
    }),
    cancelled: (self) => (self.isOpen ? { ...self, isOpen: false } : self),
    done: none,
  },
}

/** The batch after a change; itself if the change has no effect; `undefined` if its status does not allow it. */
export const change = (
  self: Batch,
  what: Change,
  now: number,
  reason: PauseReason = "caller",
): Batch | undefined => transitions[what][self.status]?.(self, now, reason)

/**
 * How many of `wanted` messages may be taken now, and the batch after it. Messages that were not taken for longer than a
 * second are not made up for, so no second has more than twice the pace.
 */
export const grant = (
  self: Batch,
  wanted: number,
  now: number,
): { readonly batch: Batch; readonly count: number } => {
  const { createdAt, pace, startedAt } = self
  if (pace === null) return { batch: self, count: wanted }
  // In units of which a message takes a thousand, so that they are whole, and exact at every pace.
  const at = Math.max(0, now - (startedAt ?? createdAt)) * pace
  const from = Math.max(self.pacedUntil, at - secondMillis * pace)
  const count = Math.max(0, Math.min(wanted, Math.floor((at - from) / secondMillis)))
  return count === 0
    ? { batch: self, count }
    : { batch: { ...self, pacedUntil: from + count * secondMillis }, count }
}

/** Whether a batch may be dropped: none of its messages waits, and it was made before `before`. */
export const isOver = (self: Pick<Batch, "createdAt" | "isOpen">, before: number): boolean =>
  !self.isOpen && self.createdAt < before

const sum = (a: BatchTotal, b: BatchTotal): BatchTotal => ({
  ...a,
  count: a.count + b.count,
  amount: plus(a.amount, b.amount),
  refunded: plus(a.refunded, b.refunded),
})

/** Totals of one organization, added up by batch and outcome. */
export class BatchSums {
  readonly #rows = new Map<string, BatchTotal>()

  add(one: BatchTotal): void {
    const key = `${one.batch} ${one.outcome}`
    const known = this.#rows.get(key)
    this.#rows.set(key, known === undefined ? one : sum(known, one))
  }

  rows(): ReadonlyArray<BatchTotal> {
    return [...this.#rows.values()]
  }

  ofBatch(id: string): ReadonlyArray<BatchTotal> {
    return this.rows().filter(({ batch }) => batch === id)
  }

  delete(id: string): void {
    for (const [key, { batch }] of this.#rows) if (batch === id) this.#rows.delete(key)
  }
}
