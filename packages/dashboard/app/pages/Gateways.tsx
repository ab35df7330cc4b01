import { useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { GatewayList, GatewayState, UnmatchedReport, UnmatchedReports } from "../api/types.ts"
import { gateways as english } from "../i18n/en/gateways.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { Badge, Code, Time, type Tone } from "../ui/data.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { messageTones } from "../ui/status.tsx"
import { type Column, Pager, Table } from "../ui/table.tsx"

const tones: Readonly<Record<GatewayState["state"], Tone>> = {
  available: "good",
  trying: "warn",
  failing: "bad",
  barred: "bad",
}

const useColumns = (): ReadonlyArray<Column<GatewayState>> => {
  const { format, t } = useTexts(english)
  const text = t.gateways
  const reports: Readonly<Record<GatewayState["reports"], string>> = {
    signed: text.reportsSigned,
    unsigned: text.reportsUnsigned,
    polled: text.reportsPolled,
    none: text.reportsNone,
  }
  const yesNo = (value: boolean) => (value ? t.word.yes : t.word.no)
  return [
    { key: "gateway", title: t.word.gateway, cell: ({ gateway }) => <strong>{gateway}</strong> },
    {
      key: "state",
      title: text.state,
      cell: ({ state }) => <Badge tone={tones[state]}>{text[state]}</Badge>,
    },
    {
      key: "reason",
      title: text.reason,
      cell: ({ reason }) => <span className={reason === null ? "" : "text"}>{reason ?? "—"}</span>,
    },
    {
      key: "channels",
      title: text.channels,
      cell: ({ channels }) => format.list(channels.map((channel) => t.channel[channel])),
    },
    {
      key: "rate",
      title: text.perSecond,
      align: "end",
      cell: ({ perSecond }) => (perSecond === null ? text.unlimited : format.number(perSecond)),
    },
    {
      key: "pause",
      title: text.pause,
      align: "end",
      extra: true,
      cell: ({ recipientPause }) => format.duration(recipientPause),
    },
    {
      key: "timeout",
      title: text.timeout,
      align: "end",
      wide: true,
      cell: ({ timeout }) => format.duration(timeout),
    },
    {
      key: "reports",
      title: text.reports,
      wide: true,
      cell: (gateway) => reports[gateway.reports],
    },
    {
      key: "lookup",
      title: text.lookup,
      extra: true,
      cell: ({ lookup }) => yesNo(lookup),
    },
    {
      key: "token",
      title: text.honoursToken,
      extra: true,
      cell: ({ honoursToken }) => yesNo(honoursToken),
    },
    {
      key: "recipient",
      title: text.recipientCheck,
      extra: true,
      cell: ({ recipientCheck }) => yesNo(recipientCheck),
    },
  ]
}

const Unmatched = () => {
  const { t } = useTexts(english)
  const [search] = useSearchParams()
  const path = withQuery("reports/unmatched", { cursor: search.get("cursor"), limit: 50 })
  const query = useRead<UnmatchedReports>(path, { keep: true })
  const columns: ReadonlyArray<Column<UnmatchedReport>> = [
    { key: "at", title: t.gateways.received, cell: ({ receivedAt }) => <Time iso={receivedAt} /> },
    { key: "gateway", title: t.word.gateway, cell: ({ gateway }) => gateway },
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
        {({ next, reports }) => (
          <>
            {reports.length === 0 ? (
              <Empty title={t.gateways.unmatchedEmpty} />
            ) : (
              <Table
                label={t.gateways.unmatched}
                hasTimes
                columns={columns}
                rows={reports}
                rowKey={({ gateway, gatewayId, receivedAt }) =>
                  `${gateway} ${gatewayId} ${receivedAt}`
                }
              />
            )}
            <Pager next={next} busy={query.isPlaceholderData} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

const Gateways = () => {
  const { t } = useTexts(english)
  const query = useRead<GatewayList>("gateways", { every: 10_000 })
  const columns = useColumns()
  return (
    <Page title={t.gateways.title} intro={t.gateways.intro}>
      <Loaded query={query}>
        {({ gateways }) =>
          gateways.length === 0 ? (
            <Empty title={t.gateways.empty} hint={t.gateways.emptyHint} />
          ) : (
            <Table
              label={t.gateways.title}
              columns={columns}
              rows={gateways}
              rowKey={({ gateway }) => gateway}
            />
          )
        }
      </Loaded>
      <Unmatched />
    </Page>
  )
}

export default Gateways
