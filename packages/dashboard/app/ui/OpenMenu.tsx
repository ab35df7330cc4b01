import { Menu } from "@base-ui/react/menu"

export interface MenuProps {
  readonly label: string
  readonly items: ReadonlyArray<{ readonly name: string; readonly onChoose: () => void }>
}

/** A menu that is open at first. */
const OpenMenu = ({ items, label }: MenuProps) => (
  <Menu.Root defaultOpen>
    <Menu.Trigger className="icon-button" aria-label={label}>
      <span aria-hidden="true">⋯</span>
    </Menu.Trigger>
    <Menu.Portal>
      <Menu.Positioner className="positioner" align="end" sideOffset={6}>
        <Menu.Popup className="popup">
          {items.map(({ name, onChoose }) => (
            <Menu.Item key={name} className="popup-item" onClick={onChoose}>
              <span className="popup-text">{name}</span>
            </Menu.Item>
          ))}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
)

export default OpenMenu
