/** Operators switch between organizations here; tenants see the name of theirs. */
import { Combobox } from "@base-ui/react/combobox"
import { useLocation } from "wouter"
import { useRead } from "../api/client.ts"
import type { OrganizationList } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Icon } from "../ui/icons.tsx"

interface Item {
  readonly value: string
  readonly label: string
}

/** The same page of another organization. A detail page belongs to one, so its list is shown instead. */
const pathFor = (location: string, id: string): string => {
  const [, page = ""] = /^\/org\/[^/]+\/([^/]+)/.exec(location) ?? []
  return `/org/${encodeURIComponent(id)}${page === "" ? "" : `/${page}`}`
}

const Switch = ({
  items,
  selected,
}: {
  readonly items: Array<Item>
  readonly selected: Item | null
}) => {
  const { t } = useI18n()
  const [location, navigate] = useLocation()
  return (
    <Combobox.Root
      items={items}
      value={selected}
      onValueChange={(item) => {
        if (item !== null) navigate(pathFor(location, item.value))
      }}
    >
      <Combobox.Trigger className="switch" aria-label={t.organization.label}>
        <Icon name="organizations" />
        <span className="switch-name">{selected?.label ?? t.organization.label}</span>
        <Icon name="chevron" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className="positioner" align="start" sideOffset={4}>
          <Combobox.Popup className="popup" aria-label={t.organization.label}>
            <Combobox.Input
              className="input popup-search"
              placeholder={t.organization.search}
              aria-label={t.organization.search}
            />
            <Combobox.Empty className="popup-empty">{t.organization.none}</Combobox.Empty>
            <Combobox.List className="popup-list">
              {(item: Item) => (
                <Combobox.Item key={item.value} value={item} className="popup-item">
                  <Combobox.ItemIndicator className="popup-mark">
                    <Icon name="check" />
                  </Combobox.ItemIndicator>
                  <span className="popup-text">{item.label}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

export const OrganizationSwitch = ({
  organization,
}: {
  readonly organization: string | undefined
}) => {
  const { isOperator } = useSession()
  const { data } = useRead<OrganizationList>("organizations?limit=1000")
  const items = (data?.organizations ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const selected = items.find(({ value }) => value === organization) ?? null
  if (!isOperator) return <span className="switch-name own">{selected?.label ?? organization}</span>
  return <Switch items={items} selected={selected} />
}
