import { type ReactNode, Suspense, useState } from "react"
import { onDemand } from "./onDemand.ts"

const Frame = onDemand(() => import("./PopoverFrame.tsx"))

export interface PopoverProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** The content of the button. */
  readonly button: ReactNode
  readonly className: string
  /** Names the content. */
  readonly label: string
  readonly children: ReactNode
}

/** A button with a small form or a list below it, which is loaded when it opens. */
export const Popover = (props: PopoverProps) => {
  const { button, className, onOpenChange, open } = props
  const [isWanted, setWanted] = useState(open)
  if (open && !isWanted) setWanted(true)
  const closed = (
    <button
      type="button"
      className={className}
      aria-haspopup="dialog"
      aria-expanded={false}
      onClick={() => onOpenChange(true)}
    >
      {button}
    </button>
  )
  return isWanted ? (
    <Suspense fallback={closed}>
      <Frame {...props} />
    </Suspense>
  ) : (
    closed
  )
}
