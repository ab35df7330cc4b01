/** The actions on one thing, behind a button. */
import { lazy } from "react"
import { OnDemand } from "../shell/OnDemand.tsx"

const Frame = lazy(() => import("./MoreMenuFrame.tsx"))

export interface MoreMenuProps {
  readonly label: string
  readonly items: ReadonlyArray<{ readonly name: string; readonly onChoose: () => void }>
}

export const MoreMenu = (props: MoreMenuProps) => (
  <OnDemand className="icon-button" label={props.label} menu={<Frame {...props} />}>
    <span aria-hidden="true">⋯</span>
  </OnDemand>
)
