/**
 * The events to which a host can subscribe.
 */
import type { GatewayHealth } from "./gateways.ts"
import type { Channel, FraudFinding, LogEntry } from "./data.ts"

interface About {
  readonly organization: string
  readonly at: Date
}

/** A change that this process has committed. */
export type Event =
  | (About & {
      readonly type: "verification_sent"
      readonly requestId: string
      readonly phoneNumber: string
      readonly channel: Channel
    })
  | (About & {
      readonly type: "verified"
      readonly requestId: string
      readonly phoneNumber: string
    })
  | (About & {
      readonly type: "verification_failed"
      readonly requestId: string
      readonly phoneNumber: string
      readonly reason: "attempts" | "sending"
    })
  | (About & {
      readonly type: "message_settled"
      /** The `sequence` of the log entry. */
      readonly messageSequence: number
      readonly channel: Channel
      readonly status: LogEntry["status"]
    })
  | (About & {
      readonly type: "refunded"
      readonly messageSequence: number
      readonly amount: string
    })
  | (FraudFinding & { readonly type: "fraud_suspected" })
  /** The health of a gateway has changed on this node. Only with routing over several gateways. */
  | (GatewayHealth & { readonly type: "gateway_health_changed"; readonly at: Date })
