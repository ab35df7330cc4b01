/** The requests that the receiver took in a period, and the events that wait. */
import { lazy, Suspense, useMemo } from "react"
import { useRead, withQuery } from "../../api/client.ts"
import type { Webhook, WebhookActivity } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { activity as english } from "../../i18n/en/activity.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { type ActivityPeriod, slotsOf } from "../../ui/activityPeriod.ts"
import { elapsed } from "../../ui/elapsed.ts"
import { fewestForShare } from "../../ui/slotShares.ts"
import { Loaded, Loading } from "../../ui/states.tsx"
import { Tile, Tiles } from "../../ui/tiles.tsx"

const SlotChart = lazy(() => import("../../ui/SlotChart.tsx"))

/** The activity of a webhook. */
export const useWebhookActivity = ({ id }: Webhook, period: ActivityPeriod) => {
  const { api } = useOrganization()
  const path = api(`webhooks/${encodeURIComponent(id)}/activity`)
  return useRead<WebhookActivity>(withQuery(path, { ...period }), { every: 15_000, keep: true })
}

/** How much of the requests was taken: a share, or counts of few. */
export const useTakenText = (): ((activity: WebhookActivity) => string) => {
  const { format } = useTexts(english)
  return ({ failed, taken }) => {
    const all = taken + failed
    if (all === 0) return "—"
    return all < fewestForShare
      ? `${format.number(taken)} / ${format.number(all)}`
      : format.percent(taken / all)
  }
}

const Chart = ({
  activity,
  period,
}: {
  readonly activity: WebhookActivity
  readonly period: ActivityPeriod
}) => {
  const { t } = useTexts(english)
  const text = t.activity
  const { series, times } = useMemo(() => {
    const times = slotsOf(period)
    const slots = new Map(activity.slots.map((slot) => [Date.parse(slot.at), slot]))
    return {
      times,
      series: [
        {
          name: text.failed,
          color: "--bad",
          values: times.map((at) => slots.get(at)?.failed ?? 0),
        },
        { name: text.taken, color: "--good", values: times.map((at) => slots.get(at)?.taken ?? 0) },
      ] as const,
    }
  }, [activity, period, text])
  return (
    <Suspense fallback={<Loading />}>
      <SlotChart
        title={text.takenChart}
        kind="columns"
        times={times}
        series={series}
        hours={period.every === "hour"}
      />
    </Suspense>
  )
}

interface Props {
  readonly webhook: Webhook
  readonly period: ActivityPeriod
}

export const WebhookFigures = ({ period, webhook }: Props) => {
  const { format, t } = useTexts(english)
  const text = t.activity
  const takenText = useTakenText()
  const time = (millis: number | null) => (millis === null ? "—" : format.duration(elapsed(millis)))
  return (
    <Loaded query={useWebhookActivity(webhook, period)}>
      {(activity) => {
        const { failed, p50, p95, taken, waiting, waitingSince } = activity
        const counts = { taken: format.number(taken), count: format.number(taken + failed) }
        return (
          <>
            <Tiles>
              <Tile label={text.requests} value={counts.count} />
              <Tile
                label={text.taken}
                value={takenText(activity)}
                note={fill(text.takenShare, counts)}
              />
              <Tile
                label={text.answers}
                value={fill(text.half, { time: time(p50) })}
                note={fill(text.most, { time: time(p95) })}
              />
              <Tile
                label={text.waiting}
                value={format.number(waiting)}
                note={
                  waitingSince === null
                    ? text.noneWaits
                    : fill(text.waitingSince, { time: format.time(waitingSince) })
                }
              />
            </Tiles>
            <Chart activity={activity} period={period} />
          </>
        )
      }}
    </Loaded>
  )
}
