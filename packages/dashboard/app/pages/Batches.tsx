import { Link, useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { Batch, BatchList } from "../api/types.ts"
import { batches as english } from "../i18n/en/batches.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { CsvLink } from "../ui/CsvLink.tsx"
import { Time } from "../ui/data.tsx"
import { Page } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Pager, Table } from "../ui/table.tsx"
import { BatchBadge } from "./batches/BatchBadge.tsx"
import { timeLeft } from "./batches/timeLeft.ts"

const useColumns = (): ReadonlyArray<Column<Batch>> => {
  const { format, t } = useTexts(english)
  const { host } = useSession()
  const { page } = useOrganization()
  const href = (id: string) => page(`batches/${encodeURIComponent(id)}`)
  return [
    {
      key: "created",
      title: t.word.created,
      cell: ({ createdAt, id }) => (
        <Link href={href(id)}>
          <Time iso={createdAt} />
        </Link>
      ),
    },
    { key: "status", title: t.word.status, cell: ({ status }) => <BatchBadge status={status} /> },
    {
      key: "recipients",
      title: t.batches.recipients,
      align: "end",
      cell: ({ recipients }) => format.number(recipients),
    },
    {
      key: "waiting",
      title: t.batches.waiting,
      align: "end",
      cell: ({ queued }) => format.number(queued),
    },
    {
      key: "spent",
      title: `${t.batches.spent} (${host.currency})`,
      align: "end",
      cell: ({ spent }) => format.decimal(spent),
    },
    {
      key: "timeLeft",
      title: t.batches.timeLeft,
      wide: true,
      cell: (batch) => timeLeft(batch, t, format),
    },
    {
      key: "text",
      title: t.batches.text,
      wide: true,
      fill: true,
      cell: ({ text }) => (
        <span className="clip" title={text}>
          {text === "" ? t.batches.textOfRows : text}
        </span>
      ),
    },
  ]
}

const Batches = () => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const { api, page } = useOrganization()
  const [search] = useSearchParams()
  const columns = useColumns()
  const path = withQuery(api("batches"), { cursor: search.get("cursor"), limit: 50 })
  const query = useRead<BatchList>(path, { keep: true, every: 15_000 })
  const actions = (
    <>
      <CsvLink path={api("batches.csv")} parameters={{}} />
      {can("batches.send") && (
        <Link className="button primary" href={page("batches/new")}>
          {t.batches.create}
        </Link>
      )}
    </>
  )
  return (
    <Page title={t.batches.title} intro={t.batches.intro} actions={actions}>
      <Loaded query={query} rows={10}>
        {({ batches, next }) => (
          <>
            {batches.length === 0 ? (
              <Empty title={t.batches.empty} hint={t.batches.emptyHint} />
            ) : (
              <Table
                label={t.batches.title}
                hasTimes
                columns={columns}
                rows={batches}
                rowKey={({ id }) => id}
              />
            )}
            <Pager next={next} busy={query.isPlaceholderData} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

export default Batches
