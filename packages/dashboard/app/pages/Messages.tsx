import { Link } from "wouter"
import { useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { FoundMessages, LogEntry } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization } from "../session.tsx"
import { Filters, useFilterValues } from "../ui/filters.tsx"
import { Page } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { Pager, Table } from "../ui/table.tsx"
import { useMessageColumns } from "./messages/columns.tsx"

const names = ["phoneNumber", "statuses", "gateway", "gatewayId", "from", "to"]

const Messages = () => {
  const { t } = useI18n()
  const { api, page } = useOrganization()
  const [search] = useSearchParams()
  const values = useFilterValues(names)
  const cursor = search.get("cursor")
  const query = useRead<FoundMessages>(withQuery(api("messages"), { ...values, cursor }), {
    keep: true,
  })
  const columns = useMessageColumns()
  const isFiltered = Object.values(values).some((value) => value !== null)
  const statuses = Object.entries(t.messageStatus).map(([value, label]) => ({ value, label }))
  const key = ({ sequence }: LogEntry) => sequence
  return (
    <Page title={t.messages.title} intro={t.messages.intro}>
      <Filters
        error={query.error}
        filters={[
          { name: "phoneNumber", label: t.word.phoneNumber, kind: "number" },
          { name: "statuses", label: t.word.status, kind: "select", options: statuses },
          { name: "from", label: t.word.from, kind: "time" },
          { name: "to", label: t.word.to, kind: "time" },
          { name: "gateway", label: t.word.gateway, kind: "text" },
          { name: "gatewayId", label: t.messages.gatewayId, kind: "text" },
        ]}
      />
      <Loaded query={query} fields={names}>
        {({ messages, next }) => (
          <>
            {messages.length > 0 ? (
              <Table
                label={t.messages.title}
                hasTimes
                columns={columns}
                rows={messages}
                rowKey={key}
              />
            ) : isFiltered || cursor !== null ? (
              <Empty
                title={t.messages.none}
                hint={next === null ? t.messages.noneHint : t.messages.more}
              />
            ) : (
              <Empty title={t.messages.empty} hint={t.messages.emptyHint}>
                <Link className="button" href={page("try-it")}>
                  {t.nav.tryIt}
                </Link>
              </Empty>
            )}
            <Pager next={next} busy={query.isPlaceholderData} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

export default Messages
