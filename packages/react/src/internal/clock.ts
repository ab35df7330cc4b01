/** The clock of the device. */

// oxlint-disable-next-line eslint/no-restricted-properties -- a page has no other clock; its rules take the time as an argument
export const deviceTime = (): number => Date.now()

/** Whole seconds until a time of the device's clock, at least 0. */
export const secondsUntil = (time: number, now: number): number =>
  Math.max(0, Math.ceil((time - now) / 1000))
