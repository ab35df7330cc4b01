import type { Page, PagePromise } from "@countersign/core/codec/Data"

interface OfPage {
  readonly cursor?: string | undefined
}

/** Makes a list from the read of a page. It reads the first page at once, and the others when they are iterated. */
export const pages =
  <I extends OfPage, T>(read: (input: I | undefined) => Promise<Page<T>>) =>
  (input?: I): PagePromise<T> => {
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
