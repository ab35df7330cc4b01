/**
 * Shortens tokens for vendors with a length limit.
 */

/** Returns the last letters and digits of a token. They are random and therefore unique. */
export const tokenTail = (token: string, length: number): string =>
  token.replace(/[^A-Za-z0-9]/g, "").slice(-length)
