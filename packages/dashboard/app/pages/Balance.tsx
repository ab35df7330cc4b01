import { lazy, Suspense, useMemo, useState } from "react"
import { useRead, withQuery } from "../api/client.ts"
import type {
  Attention,
  Balance as BalanceData,
  FoundMessages,
  Organization,
  Statement,
} from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Money } from "../ui/data.tsx"
import { minus } from "../ui/decimal.ts"
import { onDemand } from "../ui/onDemand.ts"
import { Page } from "../ui/page.tsx"
import { Loaded, Loading } from "../ui/states.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { Tile, Tiles } from "../ui/tiles.tsx"
import { browserZone } from "../ui/zonedSlots.ts"
import { BalanceChart } from "./balance/BalanceChart.tsx"
import type { BookingKind } from "./balance/Booking.tsx"
import { holdsOf, openStatuses } from "./balance/holds.ts"
import { Transactions } from "./balance/Transactions.tsx"

const Booking = onDemand(() => import("./balance/Booking.tsx"))
const LowAt = onDemand(() => import("./balance/LowAt.tsx"))
const StatementSection = lazy(() => import("./balance/StatementSection.tsx"))

/** The cost of messages since the first of the month, by the reader's calendar. */
const useSpent = (): string | undefined => {
  const { api } = useOrganization()
  const [period] = useState(() => {
    const now = new Date()
    const from = new Date(now.getFullYear(), now.getMonth(), 1)
    const to = new Date(now.getFullYear(), now.getMonth() + 1, 1)
    return { from: from.toISOString(), to: to.toISOString() }
  })
  const { data } = useRead<Statement>(withQuery(api("statement"), period), { every: 60_000 })
  return data && minus(data.entries.hold.amount, data.entries.release.amount)
}

const Amounts = ({ balance: { balance, currency, held } }: { readonly balance: BalanceData }) => {
  const { format, t } = useI18n()
  const { api } = useOrganization()
  const days = useRead<Attention>(api("attention"), { every: 60_000 }).data?.daysLeft ?? null
  const query = { statuses: openStatuses, limit: 200 }
  const open = useRead<FoundMessages>(withQuery(api("messages"), query), { every: 30_000 }).data
  const holds = open && holdsOf(open.messages, held)
  const spent = useSpent()
  return (
    <Tiles>
      <Tile
        label={t.balance.available}
        value={<Money amount={balance} currency={currency} />}
        note={days !== null && format.plural(days, t.attention.days)}
      />
      <Tile
        label={t.balance.held}
        value={<Money amount={held} currency={currency} />}
        note={
          holds === undefined || holds === 0
            ? t.balance.heldHint
            : format.plural(holds, { one: t.balance.heldForOne, other: t.balance.heldForOther })
        }
      />
      <Tile
        label={t.balance.spentInMonth}
        value={spent === undefined ? "…" : <Money amount={spent} currency={currency} />}
        note={t.balance.spentHint}
      />
    </Tiles>
  )
}

const Balance = () => {
  const { t } = useI18n()
  const { can } = useSession()
  const { api } = useOrganization()
  const query = useRead<BalanceData>(api("balance"), { every: 30_000 })
  const organization = useRead<Organization>(api(""))
  const [booking, setBooking] = useState<BookingKind>()
  const [isWarning, setWarning] = useState(false)
  const mayBook = can("account.topUp")
  const tabs = useMemo(
    () => [
      { value: "transactions", label: t.balance.transactions, content: <Transactions /> },
      {
        value: "statement",
        label: t.balance.statement,
        content: (
          <Suspense fallback={<Loading />}>
            <StatementSection />
          </Suspense>
        ),
      },
    ],
    [t],
  )
  const actions = mayBook && (
    <>
      <Button onClick={() => setBooking("adjustments")}>{t.balance.adjust}</Button>
      <Button variant="primary" onClick={() => setBooking("top-ups")}>
        {t.balance.topUp}
      </Button>
    </>
  )
  return (
    <Page title={t.balance.title} actions={actions}>
      <Loaded query={query}>{(balance) => <Amounts balance={balance} />}</Loaded>
      <Loaded query={organization}>
        {({ balanceLowAt, zone }) => (
          <div className="section">
            <BalanceChart zone={zone ?? browserZone()} lowAt={balanceLowAt} />
            {can("organization.update") && (
              <p className="chart-action">
                <Button onClick={() => setWarning(true)}>
                  {balanceLowAt === null ? t.balance.setLowAt : t.balance.changeLowAt}
                </Button>
              </p>
            )}
            {isWarning && (
              <Suspense fallback={null}>
                <LowAt bound={balanceLowAt} onClose={() => setWarning(false)} />
              </Suspense>
            )}
          </div>
        )}
      </Loaded>
      {!mayBook && <p className="table-note">{t.balance.financeOnly}</p>}
      <Tabs tabs={tabs} />
      {booking !== undefined && (
        <Suspense fallback={null}>
          <Booking kind={booking} onClose={() => setBooking(undefined)} />
        </Suspense>
      )}
    </Page>
  )
}

export default Balance
