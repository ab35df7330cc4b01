/** The activity of a gateway, slot by slot. */
import { lazy, Suspense, useMemo } from "react"
import type { GatewayActivity } from "../../api/types.ts"
import { activity as english } from "../../i18n/en/activity.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { type ActivityPeriod, slotsOf } from "../../ui/activityPeriod.ts"
import { chartShare, messagesIn, shareOf } from "../../ui/slotShares.ts"
import { Loading } from "../../ui/states.tsx"

const SlotChart = lazy(() => import("../../ui/SlotChart.tsx"))

interface Props {
  readonly activity: GatewayActivity
  readonly period: ActivityPeriod
}

export const Charts = ({ activity, period }: Props) => {
  const { t } = useTexts(english)
  const text = t.activity
  const { bands, columns, shares, times } = useMemo(() => {
    const times = slotsOf(period)
    const slots = new Map(activity.slots.map((slot) => [Date.parse(slot.at), slot.statuses]))
    const own = times.map((at) => slots.get(at) ?? {})
    const ends = own.map(shareOf)
    const end = Math.min(Date.now(), Date.parse(period.to))
    return {
      times,
      shares: [
        { name: text.deliveredLine, color: "--info", values: ends.map(chartShare) },
      ] as const,
      columns: [
        {
          name: text.notDelivered,
          color: "--bad",
          values: ends.map((one) => one.of - one.delivered),
        },
        {
          name: text.open,
          color: "--info",
          values: own.map((statuses, index) => messagesIn(statuses) - (ends[index]?.of ?? 0)),
        },
        { name: text.deliveredLine, color: "--good", values: ends.map((one) => one.delivered) },
      ] as const,
      bands: activity.pauses.map(({ from, to }) => ({
        from: Date.parse(from),
        to: to === null ? end : Date.parse(to),
      })),
    }
  }, [activity, period, text])
  const hours = period.every === "hour"
  return (
    <Suspense fallback={<Loading />}>
      <div className="columns charts">
        <SlotChart
          title={text.deliveredChart}
          kind="shares"
          times={times}
          series={shares}
          hours={hours}
          bands={bands}
          bandName={text.paused}
        />
        <SlotChart
          title={text.countChart}
          kind="columns"
          times={times}
          series={columns}
          hours={hours}
          bands={bands}
          bandName={text.paused}
        />
      </div>
      <p className="table-note">{text.few}</p>
    </Suspense>
  )
}
