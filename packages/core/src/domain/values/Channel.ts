/** The channels of messages. */

/** The channel that a caller requests. */
export type Channel = "sms" | "whatsapp"

export const channels: ReadonlyArray<Channel> = ["sms", "whatsapp"]

/** The channel in the log, which divides SMS by the kind of its sender. */
export type LogChannel = "mask" | "non-mask" | "whatsapp"
