/** Switches between organizations. */
import { Combobox } from "@base-ui/react/combobox"
import { useLocation } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { Icon } from "../ui/icons.tsx"
import { type Item, nameOf, SwitchContent, useOrganizations } from "./organizations.tsx"

/** The same page of another organization. A detail page belongs to one, so its list is shown instead. */
const pathFor = (location: string, id: string): string => {
  const [, page = ""] = /^\/org\/[^/]+\/([^/]+)/.exec(location) ?? []
  return `/org/${encodeURIComponent(id)}${page === "" ? "" : `/${page}`}`
}

interface Props {
  readonly organization: string | undefined
}

const OrganizationMenu = ({ organization }: Props) => {
  const { t } = useI18n()
  const { items, selected } = useOrganizations(organization)
  const [location, navigate] = useLocation()
  return (
    <Combobox.Root
      defaultOpen
      items={[...items]}
      value={selected}
      onValueChange={(item) => {
        if (item !== null) navigate(pathFor(location, item.value))
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

export default OrganizationMenu
