/**
 * The ways a message can travel.
 */

/** What a caller asks for. */
export type Channel = "sms" | "whatsapp"

export const channels: ReadonlyArray<Channel> = ["sms", "whatsapp"]

/** What the log shows: SMS is told apart by the kind of its sender. */
export type LogChannel = "mask" | "non-mask" | "whatsapp"
