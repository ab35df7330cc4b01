/**
 * A pepper that processes have used with a database. Its id follows from its secret, so a process with another
 * secret is noticed by its ids.
 */

/** A pepper without its secret. */
export interface RegisteredPepper {
  readonly id: string
  /** The last start of a process that knew it, in epoch milliseconds. */
  readonly usedAt: number
}

/** How long after its last start a pepper that is not the newest counts as in use. */
export const inUseMillis = 2_678_400_000

/**
 * The peppers that a process may have to know: the newest, and all that a process has started with in the last 31 days,
 * so that a rotation can be rolled out and rolled back.
 */
export const inUse = (
  registered: ReadonlyArray<RegisteredPepper>,
  now: number,
): ReadonlyArray<RegisteredPepper> => {
  const newest = Math.max(...registered.map(({ usedAt }) => usedAt))
  return registered.filter(({ usedAt }) => usedAt === newest || usedAt > now - inUseMillis)
}

/** Whether a process with the peppers `own` may use the database: it knows one of those in use, or no pepper is registered. */
export const fits = (
  own: ReadonlyArray<string>,
  registered: ReadonlyArray<RegisteredPepper>,
  now: number,
): boolean => registered.length === 0 || inUse(registered, now).some(({ id }) => own.includes(id))
