import type { ReactNode } from "react"

interface Props {
  readonly title: string
  readonly children: ReactNode
}

/** A section for few readers, folded behind its title. */
export const Folded = ({ children, title }: Props) => (
  <details className="folded">
    <summary>{title}</summary>
    {children}
  </details>
)
