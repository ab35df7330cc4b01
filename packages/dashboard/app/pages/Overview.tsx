import { lazy, Suspense, useMemo, useState } from "react"
import { Link, useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { Balance, FoundMessages, TotalList } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Money } from "../ui/data.tsx"
import { Page } from "../ui/page.tsx"
import { Empty, Loaded, Loading } from "../ui/states.tsx"
import { Tile, Tiles } from "../ui/tiles.tsx"
import { Toggle } from "../ui/toggle.tsx"
import { FindNumber } from "./overview/FindNumber.tsx"
import {
  type Figures,
  figuresOf,
  holdsOf,
  openStatuses,
  periodOf,
  type Range,
  ranges,
} from "./overview/figures.ts"
import { Channels, Delays, Failures, Refused, useDelayText } from "./overview/tables.tsx"

const LineChart = lazy(() => import("../ui/LineChart.tsx"))

const Numbers = ({ figures }: { readonly figures: Figures }) => {
  const { format, t } = useI18n()
  const { host } = useSession()
  const { api } = useOrganization()
  const balance = useRead<Balance>(api("balance"), { every: 30_000 }).data
  const open = useRead<FoundMessages>(
    withQuery(api("messages"), { statuses: openStatuses, limit: 200 }),
    { every: 30_000 },
  ).data
  // The totals are without the messages that are still being sent, whose price is held already.
  const underWay = open?.messages.filter(({ status }) => status === "pending").length ?? 0
  const delayText = useDelayText()
  const { delivered, measured, median, opened, refunded, spent, verified, waiting, withOutcome } =
    figures
  const money = (amount: string) => format.money(amount, host.currency)
  const heldText = ({ held }: Balance) => {
    const count = open === undefined ? undefined : holdsOf(open.messages, held)
    const text =
      count === undefined || count === 0
        ? t.overview.held
        : format.plural(count, { one: t.overview.heldForOne, other: t.overview.heldForOther })
    return fill(text, { amount: money(held) })
  }
  const openText = [
    { text: t.overview.waiting, count: waiting },
    { text: t.overview.sending, count: underWay },
  ]
    .filter(({ count }) => count > 0)
    .map(({ count, text }) => fill(text, { count: format.number(count) }))
  const share = (part: number, of: number) => (of === 0 ? "—" : format.percent(part / of))
  return (
    <Tiles>
      <Tile
        label={t.overview.balance}
        value={
          balance === undefined ? "…" : <Money amount={balance.balance} currency={host.currency} />
        }
        note={balance !== undefined && heldText(balance)}
      />
      <Tile
        label={t.overview.spent}
        value={money(spent)}
        note={fill(t.overview.refunded, { amount: money(refunded) })}
      />
      <Tile
        label={t.overview.messages}
        value={format.number(figures.messages + underWay)}
        note={openText.length > 0 && openText.join("; ")}
      />
      <Tile
        label={t.overview.delivered}
        value={share(delivered, withOutcome)}
        note={fill(t.overview.deliveredOf, {
          delivered: format.number(delivered),
          count: format.number(withOutcome),
        })}
      />
      <Tile
        label={t.overview.conversion}
        value={share(verified, opened)}
        note={fill(t.overview.conversionHint, {
          verified: format.number(verified),
          opened: format.number(opened),
        })}
      />
      <Tile
        label={t.overview.deliveryTime}
        value={median === undefined ? "—" : delayText(median)}
        note={
          measured === 0
            ? t.overview.timesEmpty
            : format.plural(measured, {
                one: t.overview.deliveryHintOne,
                other: t.overview.deliveryHintOther,
              })
        }
      />
      <Tile label={t.overview.wrongCodes} value={format.number(figures.wrongCodes)} />
      <Tile label={t.overview.failedCodes} value={format.number(figures.failedRequests)} />
    </Tiles>
  )
}

interface ChartsProps {
  readonly lines: Figures["lines"]
  readonly hours: boolean
}

const Charts = ({ hours, lines }: ChartsProps) => {
  const { t } = useI18n()
  const messages = useMemo(
    () =>
      [
        { name: t.overview.all, color: "--info", values: lines.all },
        { name: t.overview.delivered, color: "--good", values: lines.delivered },
        { name: t.overview.notDelivered, color: "--bad", values: lines.failed },
      ] as const,
    [lines, t],
  )
  const codes = useMemo(
    () =>
      [
        { name: t.overview.opened, color: "--info", values: lines.opened },
        { name: t.overview.verified, color: "--good", values: lines.verified },
      ] as const,
    [lines, t],
  )
  return (
    <Suspense fallback={<Loading />}>
      <div className="columns charts">
        <LineChart
          title={t.overview.overTime}
          times={lines.times}
          series={messages}
          hours={hours}
        />
        <LineChart
          title={t.overview.codesOverTime}
          times={lines.times}
          series={codes}
          hours={hours}
        />
      </div>
    </Suspense>
  )
}

const useRange = (): readonly [Range, (range: string) => void] => {
  const [search, setSearch] = useSearchParams()
  const range = ranges.find((one) => one === search.get("range")) ?? "day"
  return [range, (next) => setSearch({ range: next })]
}

const Overview = () => {
  const { t } = useI18n()
  const { api, page } = useOrganization()
  const [range, setRange] = useRange()
  const [now] = useState(() => Date.now())
  const period = useMemo(() => periodOf(range, now), [range, now])
  const query = useRead<TotalList>(
    withQuery(api("totals"), { ...period, by: ["channel", "gateway", "outcome"] }),
    { keep: true, every: 60_000 },
  )
  const totals = query.data?.totals
  const figures = useMemo(
    () => (totals === undefined ? undefined : figuresOf(totals, period)),
    [totals, period],
  )
  const choice = (
    <Toggle
      label={t.overview.range}
      value={range}
      onChange={setRange}
      options={ranges.map((value) => ({ value, label: t.overview.ranges[value] }))}
    />
  )
  return (
    <Page title={t.overview.title} actions={choice}>
      <FindNumber />
      <Loaded query={query}>
        {() =>
          figures !== undefined && (
            <>
              <Numbers figures={figures} />
              {figures.messages === 0 && figures.opened === 0 ? (
                <Empty title={t.overview.empty} hint={t.overview.emptyHint}>
                  <Link className="button" href={page("try-it")}>
                    {t.nav.tryIt}
                  </Link>
                </Empty>
              ) : (
                <>
                  <Charts lines={figures.lines} hours={period.every === "hour"} />
                  <Channels channels={figures.channels} />
                  <div className="columns">
                    <Failures failures={figures.failures} withOutcome={figures.withOutcome} />
                    <Delays delays={figures.delays} />
                  </div>
                </>
              )}
              <Refused refused={figures.refused} />
              <p className="table-note">{t.overview.lag}</p>
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

export default Overview
