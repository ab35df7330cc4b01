/**
 * What a host can hear of.
 */
import type { GatewayHealth } from "./gatewayTypes.ts"
import type { Channel, FraudFinding, LogEntry } from "./types.ts"

interface About {
  readonly organization: string
  readonly at: Date
}

/** What has been committed by this process. */
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
      /** By its number in the log. */
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
  /** A gateway has come to fare differently on this node; raised where several are routed over. */
  | (GatewayHealth & { readonly type: "gateway_health_changed"; readonly at: Date })
