/**
 * The ids of the secrets that processes have used with a database. An id follows from its secret, so the ids show that
 * a process has another one.
 */

/** A secret without its value. */
export interface RegisteredCodeSecret {
  readonly id: string
  /** The last start of a process that knew it, in epoch milliseconds. */
  readonly usedAt: number
}

/** How long after its last start a secret that is not the newest counts as in use. */
export const inUseMillis = 2_678_400_000

/**
 * The secrets that a process may need: the newest, and all that a process has started with in the last 31 days. This
 * lets operators roll a rotation out and back.
 */
export const inUse = (
  registered: ReadonlyArray<RegisteredCodeSecret>,
  now: number,
): ReadonlyArray<RegisteredCodeSecret> => {
  const newest = Math.max(...registered.map(({ usedAt }) => usedAt))
  return registered.filter(({ usedAt }) => usedAt === newest || usedAt > now - inUseMillis)
}

/** Whether a process with the secrets `own` may use the database: it knows one of those in use, or no secret is registered. */
export const fits = (
  own: ReadonlyArray<string>,
  registered: ReadonlyArray<RegisteredCodeSecret>,
  now: number,
): boolean => registered.length === 0 || inUse(registered, now).some(({ id }) => own.includes(id))
