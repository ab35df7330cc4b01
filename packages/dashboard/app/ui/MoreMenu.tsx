/** The actions on one thing, behind a button. */
import { lazy } from "react"
import { MenuButton } from "./MenuButton.tsx"

export interface MoreProps {
  readonly label: string
  readonly items: ReadonlyArray<{ readonly name: string; readonly onChoose: () => void }>
}

const ActionMenu = lazy(() => import("./ActionMenu.tsx"))

export const MoreMenu = (props: MoreProps) => (
  <MenuButton className="icon-button" label={props.label} menu={<ActionMenu {...props} />}>
    <span aria-hidden="true">⋯</span>
  </MenuButton>
)
