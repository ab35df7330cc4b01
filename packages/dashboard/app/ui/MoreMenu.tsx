import { lazy } from "react"
import { OnDemand } from "../shell/OnDemand.tsx"
import type { MenuProps } from "./OpenMenu.tsx"

const OpenMenu = lazy(() => import("./OpenMenu.tsx"))

/** The actions on one thing, behind a button. */
export const MoreMenu = (props: MenuProps) => (
  <OnDemand className="icon-button" label={props.label} menu={<OpenMenu {...props} />}>
    <span aria-hidden="true">⋯</span>
  </OnDemand>
)
