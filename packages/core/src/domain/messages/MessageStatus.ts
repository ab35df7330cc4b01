/** The statuses of a message. The module imports no type of Effect. */

/**
 * `pending`: charged, and being sent to the gateway. `accepted`: accepted by the gateway; reports will follow.
 * `delivered`: arrived, or accepted by a gateway that never reports. `undelivered`: accepted, and reported as not
 * arrived. `failed`: not sent. `unknown`: the outcome cannot be determined. `rejected`: rejected by the gateway.
 */
export const messageStatuses = [
  "pending",
  "accepted",
  "delivered",
  "undelivered",
  "failed",
  "unknown",
  "rejected",
] as const

export type MessageStatus = (typeof messageStatuses)[number]
