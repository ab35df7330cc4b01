/** The health of a gateway, as this node observes it. */

export const gatewayStates = ["available", "trying", "failing", "barred"] as const

export interface GatewayHealth {
  readonly gateway: string
  /** `barred`: the account was rejected. `failing`: no answer or no connection. `trying`: it is tried again. */
  readonly state: (typeof gatewayStates)[number]
  /** The message of its last failure. Phone numbers and credentials are masked. */
  readonly reason?: string | undefined
}
