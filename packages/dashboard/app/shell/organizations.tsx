import { useRead } from "../api/client.ts"
import type { OrganizationList } from "../api/types.ts"
import type { Dictionary } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { Icon } from "../ui/icons.tsx"

export interface Item {
  readonly value: string
  readonly label: string
}

/** The organizations to choose from: the first thousand. The page Organizations has all of them. */
export const useOrganizations = (organization: string | undefined) => {
  const { data } = useRead<OrganizationList>("organizations?limit=1000")
  const items: ReadonlyArray<Item> = (data?.organizations ?? []).map(({ id, name }) => ({
    value: id,
    label: name,
  }))
  const found = items.find(({ value }) => value === organization)
  const other = organization === undefined ? null : { value: organization, label: organization }
  return { items, selected: found ?? other }
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
