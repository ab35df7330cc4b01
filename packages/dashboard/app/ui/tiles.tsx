/** Single values, side by side. */
import type { ReactNode } from "react"

interface TileProps {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
}

export const Tiles = ({ children }: { readonly children: ReactNode }) => (
  <dl className="tiles">{children}</dl>
)

export const Tile = ({ label, note, value }: TileProps) => (
  <div className="tile">
    <dt>{label}</dt>
    <dd className="tile-value">{value}</dd>
    {note !== undefined && <dd className="tile-note">{note}</dd>}
  </div>
)
