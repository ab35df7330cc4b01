export const messageClasses = ["transactional", "promotional"] as const

export type MessageClass = (typeof messageClasses)[number]
