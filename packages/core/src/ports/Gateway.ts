/**
 * The port to whoever carries messages.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import type { Channel } from "../domain/Channel.ts"
import type { DeliveryReport, Reported } from "../domain/DeliveryReport.ts"
import type { GatewayHealth } from "../domain/GatewayHealth.ts"
import type { GatewayOutcome, Reachable } from "../domain/GatewayOutcome.ts"
import type { MessageId, MessageRef } from "../domain/Ids.ts"
import * as Checks from "../domain/internal/checks.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"

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

/** A message that a gateway is asked about. */
export interface Inquiry extends Omit<GatewayMessage, "text"> {
  /** Who has taken it, and under what name; `null` where nobody is known to have. */
  readonly taken: { readonly gateway: string; readonly gatewayId: string } | null
}

/** What a gateway can do, which decides how its silence is treated. */
export interface Capabilities {
  /**
   * For how long a second dispatch under the same token is not a second message; 0 where nobody looks at
   * tokens.
   */
  readonly tokenMillis: number
  /**
   * `lookup` can tell something: what became of a token, or of a message that was taken, by the gateway's
   * own name for it. A message whose node has died is asked for, and so is one that nobody has reported
   * on by its deadline.
   */
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
  /**
   * For how long the gateway gives the id of a message to no other message, in milliseconds from its
   * acceptance. After that time reports on the id do not concern a message that is final, and the id of
   * such a message is forgotten. `Infinity` for ids like UUIDs. A gateway over others sets
   * `Taken.idMillis` instead. `@defaultValue Infinity`
   */
  readonly idMillis?: number | undefined
  /** Pause that the vendor asks for between two messages to one recipient; none when left out. */
  readonly pairMillis?: number | undefined
  /** How long a dispatch may take before its outcome counts as unknown. */
  readonly timeoutMillis: number
}

const capabilityChecks = Object.entries<Checks.Check>({
  tokenMillis: Checks.unboundedDuration,
  idMillis: Checks.optional(Checks.unboundedDuration),
  lookup: Checks.boolean,
  recipientCheck: Checks.boolean,
  reports: Checks.oneOf(["signed", "unsigned", "polled", "none"]),
  segments: Checks.boolean,
  pairMillis: Checks.optional(Checks.duration),
  timeoutMillis: {
    must: "must be a number of milliseconds above 0",
    holds: (value) => value !== 0 && Checks.duration.holds(value),
  },
} satisfies Checks.Checks<Capabilities>)

/** What is wrong with a gateway's name or its capabilities; nothing can be sent with such a gateway. */
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
    /** Hears of a number that is not on a channel, as a report has said. */
    readonly markUnreachable?:
      | ((channel: Channel, to: PhoneNumber) => Effect.Effect<void>)
      | undefined
    /**
     * Asks what became of a message; `Unknown` where that cannot be told, as for one that another gateway
     * has taken.
     */
    readonly lookup: (message: Inquiry) => Effect.Effect<GatewayOutcome | Reported>
    /** The gateways whose messages `lookup` knows; itself alone when left out. */
    readonly lookupNames?: ReadonlyArray<string> | undefined
    /** Reports as they come in, for as long as the gateway lives. */
    readonly reports: Stream.Stream<DeliveryReport>
    /** How it comes to fare, or one of those behind it; left out where nobody watches that. */
    readonly health?: Stream.Stream<GatewayHealth> | undefined
  }
>()("@countersign/core/ports/Gateway") {}
