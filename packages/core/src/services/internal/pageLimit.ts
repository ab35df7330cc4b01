/** The number of rows in a page of a list for the host: 1 to 1,000. @defaultValue 100 */
export const pageLimit = (limit = 100): number => Math.min(Math.max(1, limit), 1_000)
