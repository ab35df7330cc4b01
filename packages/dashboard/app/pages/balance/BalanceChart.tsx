import { lazy, Suspense, useMemo, useState } from "react"
import { useRead, withQuery } from "../../api/client.ts"
import type { DayBalances } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Loaded, Loading } from "../../ui/states.tsx"
import { slotsUntil } from "../../ui/zonedSlots.ts"

const LineChart = lazy(() => import("../../ui/LineChart.tsx"))

const days = 30

interface Props {
  readonly zone: string
  /** The balance of which the organization is warned. */
  readonly lowAt: string | null
}

/** The closing balances of the last days. */
export const BalanceChart = ({ lowAt, zone }: Props) => {
  const { format, t } = useI18n()
  const { host } = useSession()
  const { api } = useOrganization()
  const [now] = useState(() => Date.now())
  const period = useMemo(() => {
    const { end, starts } = slotsUntil(zone, "day", days, now)
    return {
      from: new Date(starts[0] ?? now).toISOString(),
      to: new Date(end).toISOString(),
      zone,
    }
  }, [now, zone])
  const query = useRead<DayBalances>(withQuery(api("balances"), period), { every: 60_000 })
  const found = query.data?.balances
  const data = useMemo(() => {
    const all = found ?? []
    return {
      times: all.map(({ at }) => Date.parse(at)),
      series: [
        {
          name: t.balance.closingByDay,
          color: "--info",
          values: all.map(({ balance }) => Number(balance)),
          isStepped: true,
        },
      ] as const,
    }
  }, [found, t])
  const [show, threshold] = useMemo(
    () => [
      (value: number) => format.decimal(value.toFixed(2)),
      lowAt === null ? undefined : { name: t.balance.lowAt, value: Number(lowAt) },
    ],
    [format, lowAt, t],
  )
  const last = found?.at(-1)?.balance
  return (
    <Loaded query={query}>
      {() => (
        <Suspense fallback={<Loading />}>
          <LineChart
            {...data}
            title={`${t.balance.closingByDay} (${host.currency})`}
            summary={fill(t.balance.chartSummary, {
              days: format.number(days),
              balance: last === undefined ? "—" : format.money(last, host.currency),
            })}
            hours={false}
            zone={zone}
            show={show}
            threshold={threshold}
          />
        </Suspense>
      )}
    </Loaded>
  )
}
