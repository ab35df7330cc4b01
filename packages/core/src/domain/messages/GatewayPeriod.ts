/** A time in which a gateway had one state on one node. A pause is one that is not `available`. */
import type { GatewayHealth } from "./GatewayHealth.ts"

export interface GatewayPeriod extends Required<Pick<GatewayHealth, "gateway" | "state">> {
  /** The node, under a name that no other node has. */
  readonly node: string
  /** Epoch milliseconds. */
  readonly since: number
  /** `null`: the gateway is in this state. */
  readonly until: number | null
  /** When the node has last said so. A node that has stopped says nothing more. */
  readonly seenAt: number
  /** The message of the last failure. */
  readonly reason: string | null
  /** When the gateway is tried again. */
  readonly retryAt: number | null
  /** Number of messages that other gateways have accepted meanwhile, by the gateway. */
  readonly moved: Readonly<Record<string, number>>
}

/** How often a node confirms the state of its gateways, in milliseconds. */
export const confirmMillis = 30_000

/** A node that has been silent for longer has stopped. */
export const silentMillis = 3 * confirmMillis

/** How long periods are kept, in milliseconds. */
export const keptMillis = 90 * 86_400_000

/** Maximum number of periods that are read, the newest first. */
export const maxRead = 500
