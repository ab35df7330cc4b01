/** Types of lists without a type of Effect. */

/** Selects a page of a list. */
export interface PageInput {
  /** `next` of the page before, of the same list. @defaultValue the first page */
  readonly cursor?: string | undefined
  /** Items in the page, 1 to 1,000. @defaultValue 100 */
  readonly limit?: number | undefined
}

/** A page of a list. */
export interface Page<T> {
  readonly items: ReadonlyArray<T>
  /** The `cursor` of the next page; `null` after the last. A page with filters may be short or empty before. */
  readonly next: string | null
}

/** Await it for one page, or iterate over it for every item. */
export interface PagePromise<T, P = Page<T>> extends Promise<P>, AsyncIterable<T> {}
