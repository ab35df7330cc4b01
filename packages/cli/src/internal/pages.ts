import * as Effect from "effect/Effect"

const pageSize = 1_000

/** All items of a list that is read in pages. */
export const allOf = Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
  read: (page: {
    readonly after: string | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<A>, E, R>,
) {
  const all: Array<A> = []
  let page: ReadonlyArray<A>
  do {
    page = yield* read({ after: all.at(-1)?.id, limit: pageSize })
    all.push(...page)
  } while (page.length === pageSize)
  return all
})
