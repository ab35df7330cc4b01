/** A page with a list that is searched: its filters and its cursor are in the address. */
import type { ReactNode } from "react"
import { useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization } from "../session.tsx"
import { CsvLink } from "./CsvLink.tsx"
import { isFiltered } from "./filterValues.ts"
import { type Filter, Filters, useFilterValues } from "./filters.tsx"
import { NewRows } from "./newRows.tsx"
import { Page } from "./page.tsx"
import { Empty, Loaded } from "./states.tsx"
import { type Column, Pager, Table } from "./table.tsx"

interface Texts {
  readonly title: string
  readonly intro: string
  /** There is nothing to search. */
  readonly empty: string
  readonly emptyHint?: string
  /** Nothing matches the filters. */
  readonly none: string
  readonly noneHint?: string
  /** Rows of the next page may match. */
  readonly more: string
}

interface Props<Answer, Row> {
  /** A path of the API below the organization. */
  readonly path: string
  /** The parameter of the API that the cursor goes into. */
  readonly cursorName: string
  readonly texts: Texts
  readonly filters: ReadonlyArray<Filter>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rowsOf: (answer: Answer) => ReadonlyArray<Row>
  readonly rowKey: (row: Row) => string | number
  /** The next step if there is nothing to search. */
  readonly children?: ReactNode
  /** More data about the searched number, above the rows. */
  readonly above?: ReactNode
  /** Further links of the page, beside its title. */
  readonly actions?: ReactNode
  /** The path of the API, below the organization, that gives all pages as CSV. */
  readonly csv?: string
  /** The types of the events with which rows come. */
  readonly liveEvents?: ReadonlyArray<string>
}

/** Rows of a page, which the service gives unless it has examined too many. */
const pageRows = 50

const hintOf = (hint: string | undefined) => (hint === undefined ? {} : { hint })

export const Search = <Answer extends { readonly next: string | number | null }, Row>({
  above,
  actions,
  children,
  columns,
  csv,
  cursorName,
  filters,
  liveEvents,
  path,
  rowKey,
  rowsOf,
  texts,
}: Props<Answer, Row>) => {
  const { format, t } = useI18n()
  const { api } = useOrganization()
  const names = filters.map(({ name }) => name)
  const values = useFilterValues(names)
  const [search] = useSearchParams()
  const cursor = search.get("cursor")
  const query = useRead<Answer>(
    withQuery(api(path), { ...values, [cursorName]: cursor, limit: pageRows }),
    { keep: true },
  )
  const next = query.data?.next ?? null
  const isSearch = cursor !== null || isFiltered(values)
  const counts = { one: t.state.rowsOne, other: t.state.rowsOther }
  const tableOf = (answer: Answer) => {
    const rows = rowsOf(answer)
    if (rows.length > 0)
      return (
        <>
          <Table label={texts.title} hasTimes columns={columns} rows={rows} rowKey={rowKey} />
          {answer.next !== null && rows.length < pageRows && (
            <p className="table-note">{t.state.partial}</p>
          )}
        </>
      )
    if (isSearch)
      return (
        <Empty title={texts.none} {...hintOf(answer.next === null ? texts.noneHint : texts.more)} />
      )
    return (
      <Empty title={texts.empty} {...hintOf(texts.emptyHint)}>
        {children}
      </Empty>
    )
  }
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        <>
          {actions}
          {csv !== undefined && <CsvLink path={api(csv)} parameters={values} />}
        </>
      }
    >
      <Filters error={query.error} filters={filters} onRepeat={() => void query.refetch()} />
      {liveEvents !== undefined && cursor === null && (
        <NewRows
          events={liveEvents}
          since={query.dataUpdatedAt}
          onShow={() => void query.refetch()}
        />
      )}
      {above}
      <p role="status" className="visually-hidden">
        {query.data !== undefined && format.plural(rowsOf(query.data).length, counts)}
      </p>
      <Loaded query={query} fields={[...names, cursorName]} rows={10}>
        {tableOf}
      </Loaded>
      <Pager next={next === null ? null : String(next)} busy={query.isPlaceholderData} />
    </Page>
  )
}
