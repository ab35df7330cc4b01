/** The actions on one thing, behind a button. */
import { Menu } from "@base-ui/react/menu"

interface Props {
  readonly label: string
  readonly items: ReadonlyArray<{ readonly name: string; readonly onChoose: () => void }>
}

export const MoreMenu = ({ items, label }: Props) => (
  <Menu.Root>
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
