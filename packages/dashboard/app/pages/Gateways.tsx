import { Link } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type {
  GatewayActivity,
  GatewayActivityList,
  GatewayList,
  GatewayState,
} from "../api/types.ts"
import { activity } from "../i18n/en/activity.ts"
import { gateways as texts } from "../i18n/en/gateways.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { type ActivityPeriod, slotsOf, useActivityPeriod } from "../ui/activityPeriod.ts"
import { Code } from "../ui/data.tsx"
import { elapsed } from "../ui/elapsed.ts"
import { Page } from "../ui/page.tsx"
import { PeriodToggle } from "../ui/PeriodToggle.tsx"
import { chartShare, fewestForShare, messagesIn, shareOf } from "../ui/slotShares.ts"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { GatewayBadge } from "./gateways/GatewayBadge.tsx"

const english = { ...activity, ...texts }

interface Row extends GatewayState {
  readonly activity: GatewayActivity | undefined
}

const width = 96
const height = 20

/** The share of delivered messages, as a line without axes. The column beside it has the figure. */
const Trend = ({
  activity,
  label,
  period,
}: {
  readonly activity: GatewayActivity
  readonly period: ActivityPeriod
  readonly label: string
}) => {
  const times = slotsOf(period)
  const slots = new Map(activity.slots.map((slot) => [Date.parse(slot.at), slot.statuses]))
  let isDrawing = false
  const path = times
    .flatMap((at, index) => {
      const share = chartShare(shareOf(slots.get(at) ?? {}))
      const command = isDrawing ? "L" : "M"
      isDrawing = share !== null
      if (share === null) return []
      const x = (width * index) / Math.max(1, times.length - 1)
      return [`${command}${x.toFixed(1)} ${(height - 1 - ((height - 2) * share) / 100).toFixed(1)}`]
    })
    .join("")
  return (
    <svg className="spark" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  )
}

const useColumns = (period: ActivityPeriod): ReadonlyArray<Column<Row>> => {
  const { format, t } = useTexts(english)
  const text = t.activity
  const delivered = ({ activity }: Row): string => {
    const { delivered, of } = shareOf(activity?.statuses ?? {})
    if (of === 0) return "—"
    return of < fewestForShare
      ? `${format.number(delivered)} / ${format.number(of)}`
      : format.percent(delivered / of)
  }
  return [
    {
      key: "gateway",
      title: t.word.gateway,
      cell: ({ gateway }) => (
        <Link href={`/gateways/${encodeURIComponent(gateway)}`}>{gateway}</Link>
      ),
    },
    {
      key: "state",
      title: t.gateways.state,
      cell: ({ state }) => <GatewayBadge state={state} />,
    },
    {
      key: "sent",
      title: text.sent,
      align: "end",
      cell: ({ activity }) => format.number(messagesIn(activity?.statuses ?? {})),
    },
    { key: "delivered", title: text.delivered, align: "end", cell: delivered },
    {
      key: "trend",
      title: text.trend,
      wide: true,
      cell: ({ activity }) =>
        activity !== undefined && <Trend activity={activity} label={text.trend} period={period} />,
    },
    {
      key: "p95",
      title: text.answers,
      align: "end",
      wide: true,
      cell: ({ activity }) => {
        const p95 = activity?.p95 ?? null
        return p95 === null ? "—" : format.duration(elapsed(p95))
      },
    },
    {
      key: "error",
      title: text.lastError,
      wide: true,
      cell: ({ activity, reason }) => {
        const [error] = (activity?.errors ?? []).toSorted((a, b) =>
          b.last.at < a.last.at ? -1 : 1,
        )
        if (error === undefined) return reason ?? text.none
        return error.vendorCode === null ? (
          t.failureReason[error.reason]
        ) : (
          <Code>{error.vendorCode}</Code>
        )
      },
    },
    {
      key: "channels",
      title: t.gateways.channels,
      extra: true,
      cell: ({ channels }) => format.list(channels.map((channel) => t.channel[channel])),
    },
  ]
}

const Gateways = () => {
  const { t } = useTexts(english)
  const { choose, name, period } = useActivityPeriod()
  const query = useRead<GatewayList>("gateways", { every: 10_000 })
  const activities = useRead<GatewayActivityList>(withQuery("gateways/activity", { ...period }), {
    every: 30_000,
    keep: true,
  }).data?.gateways
  const columns = useColumns(period)
  return (
    <Page
      title={t.gateways.title}
      intro={t.gateways.intro}
      actions={<PeriodToggle value={name} onChange={choose} />}
    >
      <Loaded query={query}>
        {({ gateways }) =>
          gateways.length === 0 ? (
            <Empty title={t.gateways.empty} hint={t.gateways.emptyHint} />
          ) : (
            <Table
              label={t.gateways.title}
              columns={columns}
              rows={gateways.map((one) => ({
                ...one,
                activity: activities?.find(({ gateway }) => gateway === one.gateway),
              }))}
              rowKey={({ gateway }) => gateway}
            />
          )
        }
      </Loaded>
    </Page>
  )
}

export default Gateways
