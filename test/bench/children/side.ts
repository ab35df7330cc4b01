/** One of the two that are compared. */
export interface Side {
  /** Sends to numbers of these ranks, so many at a time, and gives the requests with their codes. */
  readonly send: (
    ranks: ReadonlyArray<number>,
    concurrency: number,
  ) => Promise<ReadonlyArray<readonly [requestId: string, code: string]>>
  /** Checks right codes. */
  readonly check: (
    codes: ReadonlyArray<readonly [requestId: string, code: string]>,
    concurrency: number,
  ) => Promise<void>
}

export const numberOf = (rank: number): string =>
  `+88017${String(10_000_000 + (rank % 89_999_999)).slice(-8)}`

/** The phones, which forget a text once its code was read. */
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
