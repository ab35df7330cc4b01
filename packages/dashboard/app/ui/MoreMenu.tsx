/** The actions on one thing, behind a button. */
import { OnDemand } from "../shell/OnDemand.tsx"
import { onDemand } from "./onDemand.ts"

const Frame = onDemand(() => import("./MoreMenuFrame.tsx"))

export interface MoreMenuProps {
  readonly label: string
  readonly items: ReadonlyArray<{ readonly name: string; readonly onChoose: () => void }>
}

export const MoreMenu = (props: MoreMenuProps) => (
  <OnDemand className="icon-button" label={props.label} menu={<Frame {...props} />}>
    <span aria-hidden="true">⋯</span>
  </OnDemand>
)
