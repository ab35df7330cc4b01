import { Popover as Base } from "@base-ui/react/popover"
import type { PopoverProps } from "./popover.tsx"

const PopoverFrame = ({ button, children, className, label, onOpenChange, open }: PopoverProps) => (
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

export default PopoverFrame
