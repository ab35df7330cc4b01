/**
 * Types of the promise API that no operation describes, because they are choices between fields or have methods. No type
 * of Effect occurs in them.
 */
import type { MessageStatus } from "../domain/messages/MessageStatus.ts"
import type { RejectionReason } from "../domain/values/FailureReason.ts"
import type { Page, PageInput } from "./Page.ts"
import type { LoggedEvent } from "./types/events.ts"
import type { Verification } from "./types/verifications.ts"

/** The person or the program that calls of this API are made for. */
export interface Actor {
  /** Your own id of the actor, such as a user's id. */
  readonly id: string
  /** Where the actor is, such as an address or the name of a program. @defaultValue unknown */
  readonly origin?: string | undefined
  /** Why the actor makes the changes. A reason that a call states itself takes precedence. @defaultValue none */
  readonly reason?: string | undefined
}

/** A statement of PostgreSQL. `pg` takes it as it is. */
export interface PreparedStatement {
  readonly text: string
  /** The parameters `$1` and so on. */
  readonly values: Array<string | number | null>
}

/** A send that is not made yet. */
export interface Prepared {
  /**
   * Adds the send to the outbox in your transaction: a node sends it after the commit, and never if it is rolled
   * back. Throws a `ConfigurationError` with the database `"memory"`, which has no transactions.
   */
  readonly statement: PreparedStatement
  /** Adds it outside of a transaction, on every database. Safe to repeat. */
  readonly enqueue: () => Promise<void>
}

/** A recipient of a batch with its own text, or with values. */
export interface Recipient {
  /** E.164, with or without its plus. */
  readonly phoneNumber: string
  /** @defaultValue the text of the batch */
  readonly text?: string | undefined
  /** The values of the placeholders in the text, by their names. @defaultValue none */
  readonly values?: Readonly<Record<string, string | number>> | undefined
}

/** The recipients of a batch, at most 1,000,000: phone numbers, or more of each. They are read once, in their order. */
export type Recipients = Iterable<string | Recipient> | AsyncIterable<string | Recipient>

/** A place in the event log. */
export interface FollowEvents {
  /** The `sequence` of the last event that you have. @defaultValue 0 */
  readonly after?: number | undefined
}

/** Selects a part of the event log: the events with a `sequence` above `after`, or from a cursor on, in order. */
export interface ListEvents extends FollowEvents, PageInput {}

/** A part of the event log. */
export interface EventPage extends Page<LoggedEvent> {
  /** The `sequence` of the oldest event that retention has kept. */
  readonly first: number
  /** The `sequence` of the newest event; 0 before the first. */
  readonly last: number
}

interface CheckedFields {
  /** The code as the user typed it; 1 to 32 characters. White space and hyphens are ignored. */
  readonly code: string
  /**
   * Your own name for the visitor: an address, a device or a session; 1 to 128 characters. Only a keyed digest of
   * it is stored. Limits per client apply to it, and a client that has verified the number is no stranger to it.
   */
  readonly client?: string | undefined
  /** The purpose that the request was sent with. Without it, only a request without a purpose is found. */
  readonly purpose?: string | undefined
}

/** A code to check, of a request. */
export interface CheckRequest extends CheckedFields {
  readonly requestId: string
  readonly phoneNumber?: never
}

/** A code to check, of the newest pending request of a number. */
export interface CheckNumber extends CheckedFields {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly requestId?: never
}

export type CheckCode = CheckRequest | CheckNumber

/** A verification request in a list. */
export type ListedVerification = Verification & {
  /** The status of its newest message; `null` if none was sent, or the message is no longer in the log. */
  readonly delivery: MessageStatus | null
}

/** Identifies a message of the log: by its id, or by its position. */
export type MessageRef =
  | { readonly id: string; readonly sequence?: never }
  | { readonly id?: never; readonly sequence: number }

/** Identifies the message of a report: by the gateway's id, or by its position in the log. */
export type ReportedMessage =
  | {
      /** The id that the gateway returned to the engine. */
      readonly gatewayId: string
      /** The gateway's name. @defaultValue the gateway that you have written yourself, if there is only one */
      readonly gateway?: string | undefined
    }
  | {
      /** The organization of the message. @defaultValue the organization of hosts with a single one */
      readonly organization?: string | undefined
      /** The `sequence` of the message as the gateway received it, with its `organization`. */
      readonly messageSequence: number
      /**
       * The end of the message's `token`, if the vendor returns it. The report applies only if it fits, because
       * installations that share an account have messages with the same `sequence`.
       */
      readonly token?: string | undefined
      /** The reporting gateway's name. @defaultValue the gateway that accepted the message */
      readonly gateway?: string | undefined
    }

/** A gateway's report on a message. */
export type DeliveryReport = ReportedMessage & {
  readonly status: "accepted" | "delivered" | "undelivered" | "failed" | "rejected"
  /** The vendor's words. */
  readonly detail?: string | undefined
  /** The cause of the failure, if the vendor documents it. */
  readonly reason?: RejectionReason | undefined
  /** Whether the vendor's documentation says that the recipient is not on the channel. */
  readonly unreachable?: boolean | undefined
  /** The documented fields to keep for disputes: words, ids, times and short numbers. Other values are not kept. */
  readonly evidence?: Readonly<Record<string, unknown>> | undefined
}
