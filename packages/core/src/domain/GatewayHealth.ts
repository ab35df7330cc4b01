/**
 * The state of a gateway, as one node sees it.
 */
/** How a gateway fares, on this node. */
export interface GatewayHealth {
  readonly gateway: string
  /** `barred`: it has refused the account. `failing`: it has not answered, or could not be reached. */
  readonly state: "available" | "trying" | "failing" | "barred"
  /** What it has said, or has not, last when it failed; numbers and credentials are hidden in it. */
  readonly reason?: string | undefined
}
