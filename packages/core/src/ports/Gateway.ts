/** The port to the vendors that carry messages. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import { type Channel, channels } from "../domain/values/Channel.ts"
import type { DeliveryReport, Reported } from "../domain/messages/DeliveryReport.ts"
import type { GatewayHealth } from "../domain/messages/GatewayHealth.ts"
import * as GatewayOutcome from "../domain/messages/GatewayOutcome.ts"
import type { MessageClass } from "../domain/values/MessageClass.ts"
import type { MessageId, MessageRef } from "../domain/values/Ids.ts"
import * as Checks from "../domain/values/internal/checks.ts"
import type { Payment } from "../domain/verifications/Payment.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"

export interface GatewayMessage {
  /** The same for every dispatch of a message. A gateway that honours tokens sends each message once. */
  readonly token: MessageId
  /** Identifies the message. Delivery reports repeat it where the vendor returns references. */
  readonly ref: MessageRef
  readonly purpose: "message" | "verification"
  readonly class: MessageClass
  readonly channel: Channel
  readonly phoneNumber: PhoneNumber
  readonly sender: string
  /** The text to send. Only `text` and `code` contain a code in clear. */
  readonly text: Redacted.Redacted<string>
  /** The code in the text, for channels with templates of their own; `undefined` for other messages. */
  readonly code?: Redacted.Redacted<string> | undefined
  /** The language of the code's text, such as `en-us`. Set where `code` is set. */
  readonly locale?: string | undefined
  /**
   * The payment that the code approves. `text` names it. A gateway that sends the code without `text` has to
   * show the recipient its amount and payee, or reject the message.
   */
  readonly payment?: Payment | undefined
  /** The only gateway that may carry the message, for a test of it. `undefined`: the routes decide. */
  readonly gateway?: string | undefined
}

export interface LookupRequest extends Omit<GatewayMessage, "gateway" | "text" | "payment"> {
  /** The gateway that accepted the message and its id there; `null` if no acceptance is known. */
  readonly taken: { readonly gateway: string; readonly gatewayId: string } | null
}

/** The abilities of a gateway. They decide how the engine treats a missing answer. */
export interface Capabilities {
  /**
   * Milliseconds for which a second dispatch with the token sends no second message. 0: tokens are ignored.
   */
  readonly tokenMillis: number
  /** Whether `lookup` can find the outcome of a message by its token or by the gateway's id. */
  readonly lookup: boolean
  /**
   * Whether `lookup` finds an accepted message by its token alone, also after the adapter was started again.
   * @defaultValue false
   */
  readonly lookupByToken?: boolean | undefined
  /** Whether `isReachable` can tell if a number is on WhatsApp. */
  readonly recipientCheck: boolean
  /**
   * How the gateway reports the outcome of accepted messages. `signed`: in reports that it signs. `unsigned`:
   * in reports that any sender could forge. `polled`: in answer to queries. `none`: an accepted message
   * counts as delivered.
   */
  readonly reports: "signed" | "unsigned" | "polled" | "none"
  /**
   * Whether each report names its message by the reference of the engine, also on another node and after a
   * restart. @defaultValue false: reports may name it by the gateway's id
   */
  readonly references?: boolean | undefined
  /** Whether outcomes contain the number of segments of the text. */
  readonly segments: boolean
  /**
   * Milliseconds from acceptance for which the gateway gives the id of a message to no other message.
   * Afterwards, the engine forgets the id of a final message. `Infinity` for ids like UUIDs. A gateway that
   * routes to others sets `Acceptance.idMillis` instead.
   * @defaultValue Infinity
   */
  readonly idMillis?: number | undefined
  /** Milliseconds that the vendor requires between two messages to one recipient. `undefined`: no pause. */
  readonly pairMillis?: number | undefined
  /** Milliseconds after which a dispatch without an answer has an unknown outcome. */
  readonly timeoutMillis: number
}

/** A gateway as operators see it, on this node. */
export interface GatewayState extends GatewayHealth {
  /** The channels of its messages. */
  readonly channels: ReadonlyArray<Channel>
  readonly capabilities: Capabilities
  /** Maximum number of messages per second on this node. `undefined`: no maximum. */
  readonly perSecond: number | undefined
  /** Milliseconds between two messages to one recipient. `undefined`: no pause. */
  readonly pairMillis: number | undefined
  /** When a paused gateway is tried again, in epoch milliseconds. */
  readonly retryAt?: number | undefined
  /** Number of messages that other gateways have accepted since the start because this one was paused, by gateway. */
  readonly moved?: Readonly<Record<string, number>> | undefined
}

/** Milliseconds for which a gateway has to honour tokens so that a repeat can recover a lost outcome: a day. */
export const recoveryMillis = 24 * 60 * 60 * 1_000

/**
 * Whether any node can find the outcome of an accepted message if this node stops before it has written it.
 * Only then may a send be answered before its outcome is written.
 */
export const canRecover = (
  { lookup, lookupByToken, references, reports, tokenMillis }: Capabilities,
  { purpose }: Pick<GatewayMessage, "purpose">,
  { _tag }: GatewayOutcome.Accepted,
): boolean =>
  (lookup && lookupByToken === true) ||
  // No report follows on a message that has already arrived.
  (reports !== "none" && references === true && _tag === "Accepted") ||
  // A code that is verified or has expired is not sent again.
  (tokenMillis >= recoveryMillis && purpose === "message")

/** The outcome of a gateway that was chosen among several, with whether it can be recovered. */
export const withRecovery = (
  outcome: GatewayOutcome.GatewayOutcome,
  capabilities: Capabilities,
  message: Pick<GatewayMessage, "purpose">,
): GatewayOutcome.GatewayOutcome =>
  GatewayOutcome.isAccepted(outcome)
    ? { ...outcome, isRecoverable: canRecover(capabilities, message, outcome) }
    : outcome

const capabilityChecks = Object.entries<Checks.Check>({
  tokenMillis: Checks.unboundedDuration,
  idMillis: Checks.optional(Checks.unboundedDuration),
  lookup: Checks.boolean,
  lookupByToken: Checks.optional(Checks.boolean),
  recipientCheck: Checks.boolean,
  reports: Checks.oneOf(["signed", "unsigned", "polled", "none"]),
  references: Checks.optional(Checks.boolean),
  segments: Checks.boolean,
  pairMillis: Checks.optional(Checks.duration),
  timeoutMillis: {
    must: "must be a number of milliseconds above 0",
    holds: (value) => value !== 0 && Checks.duration.holds(value),
  },
} satisfies Checks.Checks<Capabilities>)

/** The first problem in a gateway's name or capabilities; `undefined` if both are valid. */
export const gatewayProblem = ({
  capabilities,
  name,
}: {
  readonly name: unknown
  readonly capabilities: unknown
}): string | undefined => {
  if (!Checks.name.holds(name)) return `Gateway: name ${Checks.name.must}`
  const problem = Checks.isObject(capabilities)
    ? Checks.problemIn(capabilities, capabilityChecks)
    : "capabilities must be an object"
  return problem === undefined ? undefined : `Gateway ${String(name)}: ${problem}`
}

/**
 * Carries messages. No method fails. An answer that the vendor does not document as a rejection is an `Unknown`
 * outcome. A check that cannot be made gives `unknown`.
 */
export class Gateway extends Context.Service<
  Gateway,
  {
    /** Stored with every message that the gateway receives. */
    readonly name: string
    readonly capabilities: Capabilities
    /** Sends a message. The engine may interrupt it after `timeoutMillis`; the outcome is then unknown. */
    readonly send: (message: GatewayMessage) => Effect.Effect<GatewayOutcome.GatewayOutcome>
    /** Checks whether a number is reachable on a channel. Sends nothing. */
    readonly isReachable: (
      channel: Channel,
      phoneNumber: PhoneNumber,
    ) => Effect.Effect<GatewayOutcome.Reachable>
    /** Receives each number that a report has marked as unreachable on a channel. */
    readonly markUnreachable?:
      | ((channel: Channel, phoneNumber: PhoneNumber) => Effect.Effect<void>)
      | undefined
    /** Looks up the outcome of a message; `Unknown` if the gateway cannot tell. */
    readonly lookup: (
      message: LookupRequest,
    ) => Effect.Effect<GatewayOutcome.GatewayOutcome | Reported>
    /** Names of the gateways whose messages `lookup` knows. `undefined`: this gateway only. */
    readonly lookupNames?: ReadonlyArray<string> | undefined
    /** Delivery reports as they arrive, for the lifetime of the gateway. */
    readonly reports: Stream.Stream<DeliveryReport>
    /** The gateways that this gateway chooses from. `undefined`: it is one gateway. */
    readonly states?: Effect.Effect<ReadonlyArray<GatewayState>> | undefined
    /**
     * The name of the gateway that takes the messages of a channel. Only for a gateway with `states` that does not call
     * its gateways through the engine.
     */
    readonly memberFor?: ((channel: Channel) => string | undefined) | undefined
    /** The meaning of an error code of the vendor, in English; `undefined` if it is not known. */
    readonly meaningOf?: ((gateway: string, vendorCode: string) => string | undefined) | undefined
    /** Health changes of the gateway; `undefined` if it does not monitor its health. */
    readonly health?: Stream.Stream<GatewayHealth> | undefined
  }
>()("@countersign/core/ports/Gateway") {}

/** The gateways that a gateway chooses from, or the gateway itself. */
export const statesOf = ({
  capabilities,
  name,
  states,
}: Gateway["Service"]): Effect.Effect<ReadonlyArray<GatewayState>> => {
  const only: GatewayState = {
    gateway: name,
    state: "available",
    channels,
    capabilities,
    perSecond: undefined,
    pairMillis: capabilities.pairMillis,
  }
  return states ?? Effect.succeed([only])
}
