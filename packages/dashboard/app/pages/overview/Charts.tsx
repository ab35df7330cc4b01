import { useMemo } from "react"
import { useRead, withQuery } from "../../api/client.ts"
import type { AuditPage, GatewayActivityList, Organization } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { fill } from "../../i18n/dictionary.ts"
import { useOrganization, useSession } from "../../session.tsx"
import LineChart, { type NamedBand } from "../../ui/LineChart.tsx"
import { figuresOf, linesOf, type PeriodData, whole } from "./figures.ts"
import { pausesOf, suspensionsIn } from "./pauses.ts"
import { changeText } from "./shares.ts"

/** Pauses of gateways are for operators only. */
const usePauses = ({ period, totals }: PeriodData): ReadonlyArray<NamedBand> => {
  const { t } = useI18n()
  const { can } = useSession()
  const { api } = useOrganization()
  const { from, to } = period
  const isSuspended = useRead<Organization>(api("")).data?.isSuspended
  const changes = useRead<AuditPage>(
    withQuery(api("audit"), { action: "organization.changed", from, limit: 200 }),
    { enabled: can("records.audit") },
  ).data
  const activity = useRead<GatewayActivityList>(
    withQuery("gateways/activity", { from, to, every: "day" }),
    { enabled: can("host.gatewayActivity"), every: 60_000 },
  ).data
  return useMemo(() => {
    const now = Math.min(Date.now(), Date.parse(to))
    const suspended =
      changes === undefined || isSuspended === undefined
        ? []
        : suspensionsIn(changes.entries, isSuspended, { from: Date.parse(from), to: now })
    return [
      ...suspended.map((band) => ({ ...band, name: t.overview.suspended })),
      ...pausesOf(activity?.gateways ?? [], totals, now).map(({ gateway, ...band }) => ({
        ...band,
        name: fill(t.overview.pausedGateway, { gateway }),
      })),
    ]
  }, [activity, changes, from, isSuspended, t, to, totals])
}

/** The name of the chart of messages: how many, how that compares, and when most were sent. */
const useMessagesSummary = ({ before, period, totals }: PeriodData) => {
  const words = useI18n()
  const { format, t } = words
  return useMemo(() => {
    const { all } = linesOf(totals, period.starts)
    const [now, then] = [figuresOf(whole(totals, period)), figuresOf(before)]
    const peak = all.indexOf(Math.max(...all))
    const at = period.starts[peak]
    const most = at === undefined ? "" : format.minutes(new Date(at).toISOString())
    return [
      `${t.overview.overTime}: ${format.number(figuresOf(totals).messages)}`,
      changeText(now.messages, then.messages, words),
      fill(t.overview.mostAt, { time: most }),
    ]
      .filter((part) => part !== undefined)
      .join(", ")
  }, [before, format, period, t, totals, words])
}

/** The messages of a period, and how many arrived, with the times in which sending was paused. */
const Charts = (data: PeriodData) => {
  const { before, period, totals } = data
  const { format, t } = useI18n()
  const summary = useMessagesSummary(data)
  const lines = useMemo(() => linesOf(totals, period.starts), [totals, period])
  const messages = useMemo(() => {
    const then = linesOf(before, period.before.starts).all
    const previous = period.starts.map((_, index) => then[index] ?? null)
    return [
      { name: t.overview.messages, color: "--info", values: lines.all },
      { name: t.overview.previous, color: "--previous", values: previous, isDashed: true },
    ] as const
  }, [before, lines, period, t])
  const delivered = useMemo(
    () => [{ name: t.overview.delivered, color: "--good", values: lines.delivered }] as const,
    [lines, t],
  )
  const bands = usePauses(data)
  const shared = { times: period.starts, hours: period.every === "hour", zone: period.zone, bands }
  const [percent, number] = useMemo(
    () => [(value: number) => format.percent(value / 100), (value: number) => format.number(value)],
    [format],
  )
  return (
    <>
      <LineChart
        {...shared}
        title={t.overview.overTime}
        summary={summary}
        series={messages}
        show={number}
      />
      <LineChart
        {...shared}
        title={t.overview.deliveredShare}
        summary={t.overview.deliveredShare}
        series={delivered}
        show={percent}
        isShare
      />
    </>
  )
}

export default Charts
