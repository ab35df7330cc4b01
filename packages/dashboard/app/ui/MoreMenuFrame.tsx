import { Menu } from "@base-ui/react/menu"
import type { MoreMenuProps } from "./MoreMenu.tsx"

const MoreMenuFrame = ({ items, label }: MoreMenuProps) => (
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

export default MoreMenuFrame
