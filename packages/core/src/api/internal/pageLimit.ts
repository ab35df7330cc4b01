import type { listPage } from "../Fields.ts"

/** The number of rows in a page of a list for the host: 1 to 1,000. @defaultValue 100 */
export const pageLimit = (limit = 100): number => Math.min(Math.max(1, limit), 1_000)

/** A page of items in their order; empty if no item has the id `after`. */
export const pageAfter = <A extends { readonly id: string }>(
  items: ReadonlyArray<A>,
  { after, limit }: Partial<typeof listPage.Type> = {},
): ReadonlyArray<A> => {
  const last = after === undefined ? -1 : items.findIndex(({ id }) => id === after)
  if (after !== undefined && last === -1) return []
  return items.slice(last + 1, last + 1 + pageLimit(limit))
}
