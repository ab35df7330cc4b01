/** The health of a gateway, as this node observes it. */
export interface GatewayHealth {
  readonly gateway: string
  /**
   * `barred`: the gateway has rejected the account. `failing`: the gateway does not answer or cannot be
   * reached. `trying`: the gateway is tried again.
   */
  readonly state: "available" | "trying" | "failing" | "barred"
  /**
   * The gateway's message, or a description, of its last failure. Phone numbers and credentials are masked.
   */
  readonly reason?: string | undefined
}
