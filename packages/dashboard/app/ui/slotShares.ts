/** The share of messages that were delivered. */

/** Messages without an outcome count neither way. */
const isOpen = (status: string): boolean => status === "pending" || status === "accepted"

export interface Share {
  readonly delivered: number
  /** Messages with an outcome. */
  readonly of: number
}

export const shareOf = (statuses: Readonly<Record<string, number>>): Share => {
  const ended = Object.entries(statuses).filter(([status]) => !isOpen(status))
  return {
    delivered: statuses["delivered"] ?? 0,
    of: ended.reduce((sum, [, count]) => sum + count, 0),
  }
}

/** Fewer messages say nothing in a chart. */
export const fewest = 5

/** A share for a chart; `null` under `fewest` messages. */
export const chartShare = ({ delivered, of }: Share): number | null =>
  of < fewest ? null : (100 * delivered) / of

/** Fewer cases are shown as counts. */
export const fewestForShare = 20

export const messagesIn = (statuses: Readonly<Record<string, number>>): number =>
  Object.values(statuses).reduce((sum, count) => sum + count, 0)
