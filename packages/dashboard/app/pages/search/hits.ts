/** The hits of a search, and the path of the page of each. */
import type { SearchHits } from "../../api/types.ts"

export type Hit = SearchHits["hits"][number]

export interface Group {
  readonly kind: Hit["kind"]
  readonly hits: ReadonlyArray<Hit>
}

/** The hits by their kind, in the order of the answer. */
export const groupsOf = (hits: ReadonlyArray<Hit>): ReadonlyArray<Group> =>
  [...Map.groupBy(hits, ({ kind }) => kind)].map(([kind, own]) => ({ kind, hits: own }))

const pages: Readonly<Record<Hit["kind"], (id: string) => string>> = {
  verification: (id) => `verifications/${id}`,
  message: (id) => `messages/${id}`,
  webhook: (id) => `webhooks/${id}`,
  api_key: () => "api-keys",
  payment: () => "balance",
}

/** The path of a hit's page below its organization. */
export const pathOf = ({ id, kind }: Hit): string => pages[kind](encodeURIComponent(id))
