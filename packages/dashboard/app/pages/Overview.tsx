import { lazy, Suspense, useMemo, useState } from "react"
import { Link, useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { Attention, Balance, FoundMessages, Organization, TotalList } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization } from "../session.tsx"
import { Page } from "../ui/page.tsx"
import { Empty, Loaded, Loading } from "../ui/states.tsx"
import { Toggle } from "../ui/toggle.tsx"
import { browserZone } from "../ui/zonedSlots.ts"
import { AttentionList } from "./overview/AttentionList.tsx"
import { Checklist } from "./overview/Checklist.tsx"
import {
  type Figures,
  figuresOf,
  type Period,
  type PeriodData,
  periodOf,
  type Range,
  ranges,
} from "./overview/figures.ts"
import { FindNumber } from "./overview/FindNumber.tsx"
import { Numbers } from "./overview/Numbers.tsx"
import { Delays, Failed, Funnel, Refused } from "./overview/tables.tsx"

const Charts = lazy(() => import("./overview/Charts.tsx"))

/** The address has the period, so that a colleague sees the same. */
const useRange = (): readonly [Range, (range: string) => void] => {
  const [search, setSearch] = useSearchParams()
  const range = ranges.find((one) => one === search.get("period")) ?? "24h"
  const choose = (next: string) =>
    setSearch((before) => {
      const after = new URLSearchParams(before)
      after.set("period", next)
      return after
    })
  return [range, choose]
}

const useTotals = ({ from, to }: Pick<Period, "from" | "to">, { every, zone }: Period) => {
  const { api } = useOrganization()
  const by = ["gateway", "country", "network", "outcome", "reason"]
  return useRead<TotalList>(withQuery(api("totals"), { from, to, every, zone, by }), {
    keep: true,
    every: 60_000,
  })
}

/** Whether a message of the organization was ever delivered. */
const useHasDelivered = (): boolean | undefined => {
  const { api } = useOrganization()
  const path = withQuery(api("messages"), { statuses: ["delivered"], limit: 1 })
  const { data } = useRead<FoundMessages>(path)
  // An empty page with a next one has examined a part of the log only.
  return data && (data.messages.length > 0 || data.next !== null)
}

interface BodyProps extends PeriodData {
  readonly figures: Figures
}

const Body = ({ figures, ...data }: BodyProps) => {
  const { t } = useI18n()
  const { page } = useOrganization()
  if (figures.messages === 0 && figures.opened === 0)
    return (
      <Empty title={t.overview.empty} hint={t.overview.emptyHint}>
        <Link className="button" href={page("try-it")}>
          {t.nav.tryIt}
        </Link>
      </Empty>
    )
  return (
    <>
      <div className="overview-charts">
        <Suspense fallback={<Loading />}>
          <Charts {...data} />
        </Suspense>
        <Funnel figures={figures} />
        <Delays delays={figures.delays} />
      </div>
      <Failed {...data} />
    </>
  )
}

const OfPeriod = ({ zone }: { readonly zone: string }) => {
  const { t } = useI18n()
  const { api } = useOrganization()
  const [range] = useRange()
  const [now] = useState(() => Date.now())
  const period = useMemo(() => periodOf(range, now, zone), [range, now, zone])
  const query = useTotals(period, period)
  const before = useTotals(period.before, period).data?.totals
  const attention = useRead<Attention>(api("attention"), { every: 60_000 }).data
  const balance = useRead<Balance>(api("balance"), { every: 30_000 }).data
  const hasDelivered = useHasDelivered()
  const totals = query.data?.totals
  const data = useMemo(() => {
    if (totals === undefined) return undefined
    return { totals, before: before ?? [], period, figures: figuresOf(totals) }
  }, [before, period, totals])
  return (
    <>
      <AttentionList attention={attention} />
      <FindNumber />
      {hasDelivered === false && <Checklist />}
      <Loaded query={query}>
        {() =>
          data !== undefined && (
            <>
              <Numbers {...data} balance={balance} daysLeft={attention?.daysLeft ?? null} />
              <Body {...data} />
              <Refused refused={data.figures.refused} />
              <p className="table-note">{fill(t.overview.lag, { zone })}</p>
            </>
          )
        }
      </Loaded>
    </>
  )
}

const Overview = () => {
  const { t } = useI18n()
  const { api } = useOrganization()
  const organization = useRead<Organization>(api(""))
  const [range, setRange] = useRange()
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
      <Loaded query={organization}>
        {({ zone }) => <OfPeriod zone={zone ?? browserZone()} />}
      </Loaded>
    </Page>
  )
}

export default Overview
