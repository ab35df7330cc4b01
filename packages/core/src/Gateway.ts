/**
 * The port to whoever carries messages.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import type { Channel } from "./Channel.ts"
import type { GatewayOutcome, RejectionReason, ReportStatus } from "./GatewayOutcome.ts"
import type { MessageId, MessageRef } from "./Ids.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"

/** A message to carry. */
export interface GatewayMessage {
  /** The same for every dispatch of one message: a gateway that honours it sends once. */
  readonly token: MessageId
  /** Comes back in delivery reports where the vendor echoes what it is given. */
  readonly ref: MessageRef
  readonly purpose: "message" | "verification"
  readonly channel: Channel
  readonly to: PhoneNumber
  readonly sender: string
  /** The only place, with `code`, where a code is found in clear. */
  readonly text: Redacted.Redacted<string>
  /**
   * The code that the text holds, for channels that fill it into a template of their own. There at the
   * first dispatch of a code, which is the only one: no other text has any.
   */
  readonly code?: Redacted.Redacted<string> | undefined
  /** The language of a code's text, `en-us`; where `code` is. */
  readonly locale?: string | undefined
}

/** What became of a message, as the gateway tells later. */
export interface DeliveryReport {
  /** The message itself, or the gateway's own name for it. */
  readonly of:
    | ({ readonly _tag: "Message" } & MessageRef)
    | { readonly _tag: "GatewayId"; readonly gateway: string; readonly gatewayId: string }
  readonly status: ReportStatus
  /** The vendor's words. */
  readonly detail: string | null
  /** Whose fault it was, where the vendor documents that. */
  readonly reason?: RejectionReason | undefined
  /** As in an outcome that is `Rejected`. */
  readonly unreachable?: boolean | undefined
}

/** What a gateway can do, which decides how its silence is treated. */
export interface Capabilities {
  /**
   * For how long a second dispatch under the same token is not a second message; 0 where nobody looks at
   * tokens.
   */
  readonly tokenMillis: number
  /** `lookup` can tell what became of a token. */
  readonly lookup: boolean
  /** `isReachable` can tell whether a number is on WhatsApp. */
  readonly recipientCheck: boolean
  /**
   * How it tells what became of what it has accepted: in reports that it signs, in reports that anybody
   * could have written, or when it is asked. With `none`, accepted is delivered.
   */
  readonly reports: "signed" | "unsigned" | "polled" | "none"
  /** Its outcomes tell how many parts a text has. */
  readonly segments: boolean
  /** How long a dispatch may take before its outcome counts as unknown. */
  readonly timeoutMillis: number
}

/** Whether a number can be reached over a channel. */
export type Reachable = "yes" | "no" | "unknown"

/**
 * Carries messages. No method fails: what a vendor does not document as a
 * refusal is an `Unknown` outcome, and a check that cannot be made is `unknown`.
 */
export class Gateway extends Context.Service<
  Gateway,
  {
    /** Kept with every message that it is handed. */
    readonly name: string
    readonly capabilities: Capabilities
    /** Hands a message over. May be interrupted at `timeoutMillis`; the outcome is then unknown. */
    readonly send: (message: GatewayMessage) => Effect.Effect<GatewayOutcome>
    /** Asks whether a number can be reached, without sending anything. */
    readonly isReachable: (channel: Channel, to: PhoneNumber) => Effect.Effect<Reachable>
    /** Asks what became of a dispatch; `Unknown` where that cannot be told. */
    readonly lookup: (message: Omit<GatewayMessage, "text">) => Effect.Effect<GatewayOutcome>
    /** Hears of a number that is not on a channel, as a report has said. */
    readonly learn?: ((channel: Channel, to: PhoneNumber) => Effect.Effect<void>) | undefined
    /** Reports as they come in, for as long as the gateway lives. */
    readonly reports: Stream.Stream<DeliveryReport>
  }
>()("@countersign/core/Gateway") {}
