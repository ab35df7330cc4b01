import type { KeyboardEvent, MouseEvent, ReactNode } from "react"
import { useSearchParams } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { fill } from "../i18n/dictionary.ts"
import { Button } from "./button.tsx"
import { moveInRows, openRow } from "./rowLinks.ts"

export interface Column<Row> {
  readonly key: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: "end"
  /** The column is shown from 900 pixels on. */
  readonly wide?: boolean
  /** The column is shown from 1200 pixels on. */
  readonly extra?: boolean
  /** The column takes the room that is left, and cuts longer texts. */
  readonly fill?: boolean
  /** The title is for screen readers only. */
  readonly untitled?: boolean
  /**
   * The line of a phone's row, which has two. @defaultValue 1 for the first two columns and for those without a
   * title, none for `wide` and `extra`, else 2
   */
  readonly line?: 1 | 2
}

interface TableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly rowKey: (row: Row) => string | number
  /** Says in which zone the times are. */
  readonly hasTimes?: boolean
}

const lineOf = ({ extra, line, untitled, wide }: Column<never>, index: number) => {
  if (line !== undefined) return line
  if (untitled === true) return 1
  if (wide === true || extra === true) return undefined
  return index < 2 ? 1 : 2
}

const lineClasses = { 1: "line-1", 2: "line-2" } as const

const classOf = (column: Column<never>, index: number): string | undefined => {
  const line = lineOf(column, index)
  return (
    [
      column.align === "end" && "end",
      column.wide === true && "wide",
      column.extra === true && "extra",
      column.fill === true && "fill",
      line !== undefined && lineClasses[line],
    ]
      .filter((name) => name !== false)
      .join(" ") || undefined
  )
}

/** The contents of a cell without a value. */
const nothing: ReadonlyArray<ReactNode> = ["—", "", false, null, undefined]

/** The columns that have a value in a row. The first one names the row. */
const drawn = <Row,>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) => {
  const cells = columns.map(({ cell }) => rows.map(cell))
  return columns.flatMap((column, index) => {
    const own = cells[index] ?? []
    const isDrawn = index === 0 || rows.length === 0 || own.some((one) => !nothing.includes(one))
    return isDrawn ? [{ ...column, className: classOf(column, index), cells: own }] : []
  })
}

/**
 * A table within its frame. On a phone, each row is two lines. A row opens the page that its first link leads to;
 * the arrow keys move through the rows, and Escape goes back to the filters.
 */
export const Table = <Row,>({ columns, hasTimes, label, rowKey, rows }: TableProps<Row>) => {
  const { format, t } = useI18n()
  const shown = drawn(columns, rows)
  return (
    <>
      <div
        className="table-frame"
        role="region"
        aria-label={label}
        tabIndex={0}
        onClick={(event: MouseEvent<HTMLElement>) => openRow(event.nativeEvent)}
        onKeyDown={(event: KeyboardEvent<HTMLElement>) =>
          moveInRows(event.nativeEvent, event.currentTarget)
        }
      >
        {/* The roles are named because a phone's rows are no table for CSS. */}
        <table role="table">
          <caption className="visually-hidden">{label}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {shown.map(({ className, key, title, untitled }) => (
                <th key={key} scope="col" role="columnheader" className={className}>
                  {untitled === true ? <span className="visually-hidden">{title}</span> : title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row, index) => (
              <tr key={rowKey(row)} role="row">
                {shown.map(({ align, cells, className, key, title }) => (
                  <td
                    key={key}
                    role="cell"
                    className={className}
                    data-title={align === "end" ? title : undefined}
                  >
                    {cells[index]}
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

/** Earlier cursors in the address, so that Newer also works in a deep link. */
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
