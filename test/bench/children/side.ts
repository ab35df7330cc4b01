/** One of the two sides of a comparison. */
export interface Side {
  /** Sends to the numbers of these ranks, `concurrency` at a time. Returns the requests with their codes. */
  readonly send: (
    ranks: ReadonlyArray<number>,
    concurrency: number,
  ) => Promise<ReadonlyArray<readonly [requestId: string, code: string]>>
  /** Checks the correct codes. */
  readonly check: (
    codes: ReadonlyArray<readonly [requestId: string, code: string]>,
    concurrency: number,
  ) => Promise<void>
}

export const numberOf = (rank: number): string =>
  `+88017${String(10_000_000 + (rank % 89_999_999)).slice(-8)}`

/** The phones. Reading a code removes its text. */
export const phones = () => {
  const texts = new Map<string, string>()
  return {
    remember: (to: string, text: string): void => void texts.set(to, text),
    takeCode: (to: string): string => {
      const code = texts.get(to)?.slice(0, 6) ?? ""
      texts.delete(to)
      return code
    },
  }
}
