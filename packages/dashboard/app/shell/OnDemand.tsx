import { type ReactNode, Suspense, useState } from "react"

interface Props {
  /** The menu with its own button, open. */
  readonly menu: ReactNode
  readonly className: string
  readonly label: string
  readonly children: ReactNode
}

/** A button whose menu is loaded when it is opened, because most visits open none. */
export const OnDemand = ({ children, className, label, menu }: Props) => {
  const [isWanted, setWanted] = useState(false)
  const button = (
    <button
      type="button"
      className={className}
      aria-label={label}
      aria-haspopup="true"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    >
      {children}
    </button>
  )
  return isWanted ? <Suspense fallback={button}>{menu}</Suspense> : button
}
