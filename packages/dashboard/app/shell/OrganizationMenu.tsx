/** Switches between organizations. */
import { Combobox } from "@base-ui/react/combobox"
import { useState } from "react"
import { useLocation, useSearchParams } from "wouter"
import { withQuery } from "../api/client.ts"
import { organizations as english } from "../i18n/en/organizations.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { Badge } from "../ui/data.tsx"
import { Icon } from "../ui/icons.tsx"
import { type Item, nameOf, SwitchContent, useItems, useSelected } from "./organizations.tsx"

/** The parameters of the address that stay. A period applies to every organization, an id or a number only to one. */
const kept = ["range", "period"] as const

/** The same page of another organization. A detail page belongs to one, so its list is shown instead. */
const pathFor = (location: string, search: URLSearchParams, id: string): string => {
  const [, page = ""] = /^\/org\/[^/]+\/([^/]+)/.exec(location) ?? []
  const path = `/org/${encodeURIComponent(id)}${page === "" ? "" : `/${page}`}`
  return withQuery(path, Object.fromEntries(kept.map((name) => [name, search.get(name)])))
}

interface Props {
  readonly organization: string | undefined
}

const OrganizationMenu = ({ organization }: Props) => {
  const { t } = useTexts(english)
  const [text, setText] = useState("")
  const items = useItems(text)
  const selected = useSelected(organization)
  const [location, navigate] = useLocation()
  const [search] = useSearchParams()
  return (
    <Combobox.Root
      defaultOpen
      items={[...items]}
      // The server has searched.
      filter={null}
      isItemEqualToValue={(item, value) => item.value === value.value}
      onInputValueChange={setText}
      value={selected}
      onValueChange={(item) => {
        if (item !== null) navigate(pathFor(location, search, item.value))
      }}
    >
      <Combobox.Trigger className="switch" aria-label={nameOf(selected, t)}>
        <SwitchContent selected={selected} />
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
                  <span className="popup-text">
                    {item.label}
                    {item.isSuspended && <Badge tone="bad">{t.organizations.suspended}</Badge>}
                  </span>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

export default OrganizationMenu
