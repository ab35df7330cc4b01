/** The text of a duration as the service reads it: `5 Minutes` becomes `5 minutes`. */
export const durationText = (text: string): string => text.trim().replace(/\s+/g, " ").toLowerCase()
