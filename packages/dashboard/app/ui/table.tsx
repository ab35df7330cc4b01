import type { ReactNode } from "react"
import { useSearchParams } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { fill } from "../i18n/dictionary.ts"
import { Button } from "./button.tsx"

export interface Column<Row> {
  readonly key: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: "end"
  /** The column is not shown on tablets. */
  readonly wide?: boolean
  /** The column is shown on large screens, and on phones, whose tables scroll. */
  readonly extra?: boolean
  /** The column takes the room that is left, and cuts longer texts. */
  readonly fill?: boolean
  /** The title is for screen readers only. */
  readonly untitled?: boolean
}

interface TableProps<Row> {
  /** What the table lists. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly rowKey: (row: Row) => string | number
  /** Says in which zone the times are. */
  readonly hasTimes?: boolean
}

const classOf = ({
  align,
  extra,
  fill: isFilling,
  wide,
}: Pick<Column<never>, "align" | "extra" | "fill" | "wide">): string | undefined =>
  [
    align === "end" && "end",
    wide === true && "wide",
    extra === true && "extra",
    isFilling === true && "fill",
  ]
    .filter((name) => name !== false)
    .join(" ") || undefined

/** A table that scrolls within its frame. */
export const Table = <Row,>({ columns, hasTimes, label, rowKey, rows }: TableProps<Row>) => {
  const { format, t } = useI18n()
  return (
    <>
      <div className="table-frame" role="region" aria-label={label} tabIndex={0}>
        <table>
          <caption className="visually-hidden">{label}</caption>
          <thead>
            <tr>
              {columns.map(({ key, title, untitled, ...column }) => (
                <th key={key} scope="col" className={classOf(column)}>
                  {untitled === true ? <span className="visually-hidden">{title}</span> : title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map(({ cell, key, ...column }) => (
                  <td key={key} className={classOf(column)}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasTimes === true && (
        <p className="table-note">{fill(t.word.timesIn, { zone: format.zone })}</p>
      )}
    </>
  )
}

interface PagerProps {
  /** The cursor of the next page; `null` after the last one. */
  readonly next: string | null
  /** The name of the parameter. */
  readonly name?: string
  readonly busy?: boolean
  /** The list begins with the oldest row. @defaultValue false */
  readonly isOldestFirst?: boolean
}

/** Earlier cursors in the address, so that Newer works in a deep link as well. */
const trailName = "trail"

const maxTrail = 30

/** Moves through pages of a list. The address has the cursor, so the browser's back button works. */
export const Pager = ({
  busy = false,
  isOldestFirst = false,
  name = "cursor",
  next,
}: PagerProps) => {
  const { t } = useI18n()
  const [search, setSearch] = useSearchParams()
  const cursor = search.get(name)
  const trail = search.getAll(trailName)
  const go = (to: string | null, through: ReadonlyArray<string>) =>
    setSearch((before) => {
      const after = new URLSearchParams(before)
      after.delete(name)
      after.delete(trailName)
      if (to !== null) after.set(name, to)
      for (const one of through.slice(-maxTrail)) after.append(trailName, one)
      return after
    })
  if (cursor === null && next === null) return null
  return (
    <nav className="pager" aria-label={t.word.pages}>
      {cursor !== null && (
        <Button onClick={() => go(null, [])}>
          {isOldestFirst ? t.action.oldest : t.action.newest}
        </Button>
      )}
      <Button
        disabled={cursor === null}
        onClick={() => go(trail.at(-1) ?? null, trail.slice(0, -1))}
      >
        {isOldestFirst ? t.action.older : t.action.newer}
      </Button>
      <Button
        disabled={next === null}
        busy={busy}
        onClick={() => go(next, cursor === null ? [] : [...trail, cursor])}
      >
        {isOldestFirst ? t.action.newer : t.action.older}
      </Button>
    </nav>
  )
}
