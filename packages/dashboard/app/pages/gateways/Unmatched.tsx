/** The reports that fit no message: of all gateways, or of one. */
import { useSearchParams } from "wouter"
import { useRead, withQuery } from "../../api/client.ts"
import type { UnmatchedReport, UnmatchedReports } from "../../api/types.ts"
import { gateways as english } from "../../i18n/en/gateways.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { Badge, Code, Time } from "../../ui/data.tsx"
import { Section } from "../../ui/page.tsx"
import { Empty, Loaded } from "../../ui/states.tsx"
import { messageTones } from "../../ui/status.tsx"
import { type Column, Pager, Table } from "../../ui/table.tsx"

export const Unmatched = ({ gateway }: { readonly gateway: string }) => {
  const { t } = useTexts(english)
  const [search] = useSearchParams()
  const path = withQuery("reports/unmatched", { cursor: search.get("cursor"), limit: 50 })
  const query = useRead<UnmatchedReports>(path, { keep: true })
  const columns: ReadonlyArray<Column<UnmatchedReport>> = [
    { key: "at", title: t.gateways.received, cell: ({ receivedAt }) => <Time iso={receivedAt} /> },
    { key: "id", title: t.gateways.gatewayId, cell: ({ gatewayId }) => <Code>{gatewayId}</Code> },
    {
      key: "status",
      title: t.word.status,
      cell: ({ status }) => <Badge tone={messageTones[status]}>{t.reportStatus[status]}</Badge>,
    },
    {
      key: "detail",
      title: t.gateways.detail,
      wide: true,
      cell: ({ detail }) => <span className="text">{detail ?? "—"}</span>,
    },
  ]
  return (
    <Section title={t.gateways.unmatched} intro={t.gateways.unmatchedIntro}>
      <Loaded query={query}>
        {({ next, reports }) => {
          const own = reports.filter((one) => one.gateway === gateway)
          return (
            <>
              {own.length === 0 ? (
                <Empty title={t.gateways.unmatchedEmpty} />
              ) : (
                <Table
                  label={t.gateways.unmatched}
                  hasTimes
                  columns={columns}
                  rows={own}
                  rowKey={({ gatewayId, receivedAt }) => `${gatewayId} ${receivedAt}`}
                />
              )}
              <Pager next={next} busy={query.isPlaceholderData} />
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}
