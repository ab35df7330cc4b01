/** The lists of prefixes of an organization, and changes of them. */
import type { Organization } from "../../api/types.ts"

export const lists = ["blockedPrefixes", "allowedPrefixes"] as const

export type List = (typeof lists)[number]

type Lists = Pick<Organization, List | "prefixReasons">

/** A prefix of a list: why it is there, and who has put it there when, as far as that is known. */
export interface ListedPrefix {
  readonly prefix: string
  readonly list: List
  readonly reason: string | undefined
  readonly changedBy: string | undefined
  readonly changedAt: string | undefined
}

export const listed = (self: Lists & Pick<Organization, "changes">): ReadonlyArray<ListedPrefix> =>
  lists
    .flatMap((list) =>
      self[list].map((prefix): ListedPrefix => {
        const change = self.changes.find(({ setting }) => setting === `${list}.${prefix}`)
        const { changedAt, changedBy } = change ?? {}
        return { prefix, list, reason: self.prefixReasons[prefix], changedAt, changedBy }
      }),
    )
    .toSorted((a, b) => a.prefix.localeCompare(b.prefix))

/** The change that adds a prefix to a list. An empty reason is not kept. */
export const withPrefix = (self: Lists, list: List, prefix: string, reason: string) => {
  const { [prefix]: _, ...others } = self.prefixReasons
  return {
    [list]: [...new Set([...self[list], prefix])],
    prefixReasons: reason === "" ? others : { ...others, [prefix]: reason },
  }
}

export const withoutPrefix = (
  self: Lists,
  { list, prefix }: Pick<ListedPrefix, "list" | "prefix">,
) => ({
  [list]: self[list].filter((one) => one !== prefix),
})
