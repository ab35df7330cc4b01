/** The classes of messages. The module imports no type of Effect. */

/**
 * `transactional`: what the recipient has asked for or needs, such as codes and receipts. `promotional`: everything that
 * advertises.
 */
export const messageClasses = ["transactional", "promotional"] as const

export type MessageClass = (typeof messageClasses)[number]
