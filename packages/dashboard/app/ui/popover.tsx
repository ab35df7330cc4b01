import { Popover as Base } from "@base-ui/react/popover"
import type { ReactNode } from "react"

interface Props {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** What the button shows. */
  readonly button: ReactNode
  readonly className: string
  /** Names the content. */
  readonly label: string
  readonly children: ReactNode
}

/** A button with a small form or a list below it. */
export const Popover = ({ button, children, className, label, onOpenChange, open }: Props) => (
  <Base.Root open={open} onOpenChange={onOpenChange}>
    <Base.Trigger className={className}>{button}</Base.Trigger>
    <Base.Portal>
      <Base.Positioner className="positioner" align="start" sideOffset={4}>
        <Base.Popup className="popup editor" aria-label={label}>
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
