import type { Page, PagePromise } from "@countersign/core/api/Page"
import type { Unbound } from "./scope.ts"

/** Makes a list from the read of a page. It reads the first page at once, and the others when they are iterated. */
export const pages =
  <I, T, P extends Page<T>>(
    method: Unbound<(input: I | undefined) => Promise<P & Page<T>>>,
  ): Unbound<(input?: I) => PagePromise<T, P>> =>
  (scope) => {
    const read = method(scope)
    return (input) => {
      const first = read(input)
      const iterate = async function* () {
        for (
          let page = await first;
          ;
          page = await read(Object.assign({}, input, { cursor: page.next }))
        ) {
          yield* page.items
          if (page.next === null) return
        }
      }
      return Object.assign(first, { [Symbol.asyncIterator]: iterate })
    }
  }
