import { useQueries } from "@tanstack/react-query"
import { readPath, useRead, withQuery } from "../api/client.ts"
import type { Organization, OrganizationList } from "../api/types.ts"
import type { Dictionary } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { Icon } from "../ui/icons.tsx"
import { recentOrganizations } from "./recent.ts"

type Named = Pick<Organization, "id" | "isSuspended" | "name">

export interface Item {
  readonly value: string
  readonly label: string
  readonly isSuspended: boolean
}

const pathOf = (id: string): string => `organizations/${encodeURIComponent(id)}`

const itemOf = ({ id, isSuspended, name }: Named): Item => ({
  value: id,
  label: name,
  isSuspended,
})

/** The organization of the page, which has its id as its name until it is there. */
export const useSelected = (organization: string | undefined): Item | null => {
  const { data } = useRead<Organization>(pathOf(organization ?? ""), {
    enabled: organization !== undefined,
  })
  if (organization === undefined) return null
  return itemOf(data ?? { id: organization, name: organization, isSuspended: false })
}

/** Those that contain the text. Without one, the organizations that the reader saw last, and the first ones. */
export const useItems = (text: string): ReadonlyArray<Item> => {
  const found = useRead<OrganizationList>(
    withQuery("organizations", { search: text.trim(), limit: 20 }),
    { keep: true },
  )
  const recent = useQueries({
    queries: recentOrganizations().map((id) => readPath<Organization>(pathOf(id))),
  })
  const first = text.trim() === "" ? recent.flatMap(({ data }) => data ?? []) : []
  const all: ReadonlyArray<Named> = [...first, ...(found.data?.organizations ?? [])]
  return [...new Map(all.map((one) => [one.id, itemOf(one)])).values()]
}

/** The name of the button: what it is for, and what is chosen. */
export const nameOf = (selected: Item | null, t: Dictionary): string =>
  selected === null ? t.organization.label : `${t.organization.label}: ${selected.label}`

export const SwitchContent = ({ selected }: { readonly selected: Item | null }) => {
  const { t } = useI18n()
  return (
    <>
      <Icon name="organizations" />
      <span className="switch-name">{selected?.label ?? t.organization.label}</span>
      <Icon name="chevron" />
    </>
  )
}
