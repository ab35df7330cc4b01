/** The statuses of delivery reports. */

export const reportStatuses = [
  "accepted",
  "delivered",
  "undelivered",
  "failed",
  "rejected",
] as const

/** The outcome of a message in a later report of the gateway. */
export type ReportStatus = (typeof reportStatuses)[number]
