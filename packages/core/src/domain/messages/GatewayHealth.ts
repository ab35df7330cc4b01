/** The health of a gateway, as this node observes it. */
export interface GatewayHealth {
  readonly gateway: string
  /** `barred`: the account was rejected. `failing`: no answer or no connection. `trying`: it is tried again. */
  readonly state: "available" | "trying" | "failing" | "barred"
  /** The message of its last failure. Phone numbers and credentials are masked. */
  readonly reason?: string | undefined
}
