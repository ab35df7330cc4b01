import type { GatewayHealth } from "./gateways.ts"
import type { Channel, FraudFinding, LogEntry } from "./data.ts"
import type { Metadata } from "./verifications.ts"

interface About<Type extends string> {
  readonly type: Type
  readonly organization: string
  readonly at: Date
}

interface AboutVerification<Type extends string> extends About<Type> {
  readonly requestId: string
  readonly phoneNumber: string
  readonly purpose: string | null
  readonly metadata: Metadata | null
}

interface AboutMessage<Type extends string> extends About<Type> {
  /** The `sequence` of the log entry. */
  readonly messageSequence: number
}

/** A change that this process has committed. */
export type Event =
  | (AboutVerification<"verification_sent"> & { readonly channel: Channel })
  | AboutVerification<"verified">
  | (AboutVerification<"verification_failed"> & {
      readonly reason: "attempts" | "sending" | "cancelled"
    })
  /** A verified request was used up. */
  | AboutVerification<"verification_consumed">
  | (AboutMessage<"message_settled"> & Pick<LogEntry, "channel" | "status">)
  | (AboutMessage<"refunded"> & { readonly amount: string })
  | (FraudFinding & { readonly type: "fraud_suspected" })
  /** The health of a gateway has changed on this node. Only with routing over several gateways. */
  | (GatewayHealth & { readonly type: "gateway_health_changed"; readonly at: Date })
