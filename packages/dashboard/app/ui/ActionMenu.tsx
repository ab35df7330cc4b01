/** The menu of a `MoreMenu`, with its button. */
import { Menu } from "@base-ui/react/menu"
import type { MoreProps } from "./MoreMenu.tsx"

const ActionMenu = ({ items, label }: MoreProps) => (
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

export default ActionMenu
