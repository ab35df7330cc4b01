/**
 * Types of plain data that hosts pass to the services and get from them. No type of Effect occurs in them.
 */
import type { Channel } from "../domain/values/Channel.ts"
import type { Duration } from "../domain/values/DurationText.ts"
import type { FailureReason } from "../domain/values/FailureReason.ts"
import type { Limits } from "../api/types/limits.ts"
import type { MessageStatus } from "../domain/messages/MessageStatus.ts"
import type { RejectionReason } from "../domain/values/RejectionReason.ts"
import type { ApiKeyScope } from "../domain/access/ApiKeyScope.ts"
import type * as Inputs from "../api/Inputs.ts"
import type { Page } from "../api/Page.ts"
import type { Count } from "../text/Segments.ts"

export type { DurationRange, Limit, Range, WindowLimit } from "../domain/limits/LimitValues.ts"
export type * from "../api/Page.ts"
export type { ApiKeyScope, Channel, Duration, Limits, MessageStatus }

export type { SendMessage, PreviewMessage } from "../api/Inputs.ts"

/** A message that the gateway accepted. */
export interface SentMessage extends Pick<Message, "id" | "sequence" | "status" | "price"> {
  /** The gateway's id of the message. */
  readonly gatewayId: string
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** The channel that carries it. */
  readonly channel: Channel
  /** The available balance, a decimal. */
  readonly balance: string
}

/** The length and the price of a text. */
export interface MessagePreview {
  /** `null` on WhatsApp, which has no segments. */
  readonly segments: Count | null
  /** A decimal. */
  readonly price: string
  /** ISO 4217. */
  readonly currency: string
}

/** Bounds of times. */
export interface Times {
  /** Inclusive. @defaultValue no bound */
  readonly from?: Date | undefined
  /** Exclusive. @defaultValue no bound */
  readonly to?: Date | undefined
}

export interface ListMessages extends Inputs.SearchMessages, Times {}

export interface CountMessages extends Times {}

/** A page of the log, as the admin API has it. */
export interface FoundMessages extends Pick<Page<unknown>, "next"> {
  /** Newest first. */
  readonly messages: ReadonlyArray<Message>
}

/** One message of the log. */
export interface Message {
  /** The id of the message, for `messages.get` and `messages.history`. */
  readonly id: string
  /** The position in the log, from 1. Events and the ledger refer to it. */
  readonly sequence: number
  /** E.164 with its plus; `erased:` and its country once it was erased. */
  readonly phoneNumber: string
  /** The text; the code of a verification is masked. Empty once it was erased. */
  readonly text: string
  /** The channel that carries it. */
  readonly channel: Channel
  /** The masking name, the number, or the id of the profile that sent it. */
  readonly sender: string
  /** The verification request that the message belongs to. */
  readonly requestId: string | null
  /** What has come of it. */
  readonly status: MessageStatus
  /** The price, a decimal; `"0.00"` after a refund. */
  readonly price: string
  /** The gateway that took the message or was chosen for it. */
  readonly gateway: string
  /** The gateway's id of the message; `null` before the gateway has taken it. */
  readonly gatewayId: string | null
  /** The text of the vendor, or of the engine where no vendor was asked. */
  readonly error: string | null
  /** Why the message did not arrive, or why its outcome is not known; and the vendor's code of the error. */
  readonly failureReason: FailureReason | null
  readonly vendorCode: string | null
  /** When it was charged. */
  readonly createdAt: Date
}

/** Identifies the message of a report: by the gateway's id, or by its position in the log. */
export type ReportedMessage =
  | {
      /** The id that the gateway returned to the engine. */
      readonly gatewayId: string
      /** The gateway's name. @defaultValue the gateway that you have written yourself, if there is only one */
      readonly gateway?: string | undefined
    }
  | {
      /** The organization of the message. @defaultValue that of hosts with a single one */
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

/** Identifies a message of the log: by its id, or by its position. */
export type MessageRef =
  | { readonly id: string; readonly sequence?: never }
  | { readonly id?: never; readonly sequence: number }

/** A report on a message, as it was received. */
export interface MessageReport {
  /** The position among the reports on the message, from 1. */
  readonly position: number
  /** When it was received. */
  readonly receivedAt: Date
  /** The gateway that sent the report. */
  readonly gateway: string
  /** The gateway's id of the message; `null` if the report had none. */
  readonly gatewayId: string | null
  /** What it reports. */
  readonly status: DeliveryReport["status"]
  /** The vendor's words. */
  readonly detail: string | null
  /** The fields of `evidence` that were kept, as JSON. */
  readonly evidence: string | null
}
