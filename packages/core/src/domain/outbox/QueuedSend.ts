/**
 * A send that waits in the outbox: the host has committed it, and a node sends it later.
 *
 * The commit that charges its message ends it, so it is sent once, however many nodes take it.
 */
import { type OrganizationId, requestIdPrefix } from "../values/Ids.ts"
import * as PhoneNumber from "../values/PhoneNumber.ts"

export interface NewQueuedSend {
  readonly organization: OrganizationId
  /** The id of the request or of the message that it becomes. */
  readonly id: string
  readonly phoneNumber: PhoneNumber.PhoneNumber
  /** The other fields of the call, as JSON. Empty once it was sent. */
  readonly call: string
  /** Sends with the same key go one after another, in the order of their commits. */
  readonly orderKey: string | null
  /** The batch that it belongs to; empty for none. */
  readonly queue: string
  /** When it may be sent; 0: at once. Epoch milliseconds, like all times here. */
  readonly dueAt: number
  /** From then on, it is dropped instead; `null`: never. */
  readonly expiresAt: number | null
  /** By the clock of the node that made it. */
  readonly createdAt: number
}

/** `sent`: a message is charged. `refused`: no message can be charged. `expired`: it was not sent in time. */
export const ends = ["sent", "refused", "cancelled", "expired"] as const

export type End = (typeof ends)[number]

export interface QueuedSend extends Omit<NewQueuedSend, "dueAt"> {
  /**
   * When a node may take it, which is the end of the lease of the node that has taken it. `null` once it has ended and
   * no send waits for it.
   */
  readonly dueAt: number | null
  /** When it was to be sent; 0: at once. */
  readonly sendAt: number
  /** Raised each time that a node takes it, or that its time is changed. An earlier claim is void. */
  readonly claim: number
  readonly end: End | null
  /** Why it was refused, as JSON; `null` otherwise. */
  readonly failure: string | null
  /** The message that it has become. */
  readonly messageSequence: number | null
  /** When it ended. */
  readonly endedAt: number | null
}

/** A queued send that a command is for. */
export interface Claimed {
  readonly id: string
  /** The claim of the caller. @defaultValue any: the caller decides for all nodes */
  readonly claim?: number | undefined
  /** The row as the caller has taken it, so that a store need not read it, but only compare its claim. */
  readonly row?: QueuedSend | undefined
}

/** Identifies a queue: the sends of a batch, or the sends that belong to no batch. */
export interface QueueRef {
  readonly organization: OrganizationId
  /** The batch; empty for none. */
  readonly queue: string
}

/** Whether it becomes a code; otherwise a message. */
export const isCode = ({ id }: Pick<QueuedSend, "id">): boolean => id.startsWith(requestIdPrefix)

export const make = (given: NewQueuedSend): QueuedSend => ({
  ...given,
  sendAt: given.dueAt,
  claim: 0,
  end: null,
  failure: null,
  messageSequence: null,
  endedAt: null,
})

/** Whether the caller of a command may still decide about it. */
export const isOpen = (self: QueuedSend | undefined, { claim }: Claimed): self is QueuedSend =>
  self !== undefined && self.end === null && (claim ?? self.claim) === self.claim

/** Gives it to a node until `until`. */
export const take = (self: QueuedSend, until: number): QueuedSend => ({
  ...self,
  claim: self.claim + 1,
  dueAt: until,
})

/** Lets it wait. Every node that has taken it loses it. */
export const postpone = (self: QueuedSend, until: number): QueuedSend => take(self, until)

/** Changes when it is to be sent. */
export const reschedule = (self: QueuedSend, sendAt: number): QueuedSend => ({
  ...postpone(self, sendAt),
  sendAt,
})

/**
 * The message has the number and the text from now on. Sends with its order key wait until `release`, or until a node
 * takes it again, because its node has died.
 */
export const sent = (
  self: QueuedSend,
  messageSequence: number,
  now: number,
  leaseMillis: number,
): QueuedSend => ({
  ...end(self, "sent", null, now),
  dueAt: self.orderKey === null ? null : now + leaseMillis,
  phoneNumber: PhoneNumber.erase(self.phoneNumber),
  call: "",
  messageSequence,
})

/** Its gateway has answered, so nothing waits for it any more. */
export const release = (self: QueuedSend): QueuedSend => ({ ...self, dueAt: null, orderKey: null })

export const end = (
  self: QueuedSend,
  how: End,
  failure: string | null,
  now: number,
): QueuedSend => ({ ...self, dueAt: null, end: how, failure, endedAt: now })

/**
 * Whether a store keeps it. A store deletes a send of a batch once it is sent: its data is in the message and in the
 * totals of the batch. Otherwise the store would write up to a million rows again without need.
 */
export const isKept = ({ end, queue }: QueuedSend): boolean => end !== "sent" || queue === ""

/** How long a message waits for the limits of its organization, in milliseconds. */
const maxWaitMillis = 86_400_000

/** How often a node takes a send that it cannot judge before the send is given up. */
const maxClaims = 100

export const isExpired = ({ expiresAt }: Pick<QueuedSend, "expiresAt">, at: number): boolean =>
  expiresAt !== null && expiresAt <= at

/** Why a taken send was not sent. */
export interface Obstacle {
  readonly kind: "limits" | "quiet_hours" | "balance" | "other"
  /** When it may pass; 0 if it is not known. */
  readonly retryAfterSeconds: number
  /** Whether the send is refused. Otherwise a later try may pass. */
  readonly isFinal: boolean
}

/** `again`: its lease ends, and a node takes it again. `pause`: its batch pauses, and it waits. */
export type Next = { readonly _tag: "refuse" | "give_up" | "again" | "pause" } | Waiting

interface Waiting {
  readonly _tag: "wait"
  readonly until: number
}

/** The next step of a send that was taken at `at`, and not sent. A person does not wait for a code. */
export const afterObstacle = (self: QueuedSend, obstacle: Obstacle, at: number): Next => {
  const { isFinal, kind, retryAfterSeconds } = obstacle
  const isInTime = at - Math.max(self.createdAt, self.sendAt) < maxWaitMillis
  if (!isCode(self) && (kind === "quiet_hours" || (kind === "limits" && isInTime))) {
    return { _tag: "wait", until: at + retryAfterSeconds * 1_000 }
  }
  // Every message of the batch would be refused.
  if (kind === "balance" && self.queue !== "") return { _tag: "pause" }
  if (isFinal) return { _tag: "refuse" }
  return { _tag: self.claim < maxClaims ? "again" : "give_up" }
}

/** Without its number, and the words of the host. Cancels a send that has not ended. */
export const erase = (self: QueuedSend, now: number): QueuedSend => ({
  ...(self.end === null ? end(self, "cancelled", null, now) : self),
  phoneNumber: PhoneNumber.erase(self.phoneNumber),
  call: "",
  orderKey: null,
})
