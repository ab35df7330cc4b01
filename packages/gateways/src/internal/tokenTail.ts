/**
 * A token for vendors that take shorter ones.
 */

/** The last letters and digits of a token: random, and unlike those of any other token. */
export const tokenTail = (token: string, length: number): string =>
  token.replace(/[^A-Za-z0-9]/g, "").slice(-length)
