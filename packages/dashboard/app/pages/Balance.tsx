import { useState } from "react"
import { useRead } from "../api/client.ts"
import type { Balance as BalanceData, Organization } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Money } from "../ui/data.tsx"
import { Page } from "../ui/page.tsx"
import { Loaded } from "../ui/states.tsx"
import { Tile, Tiles } from "../ui/tiles.tsx"
import { Booking, type BookingKind } from "./balance/Booking.tsx"
import { LedgerSection } from "./balance/LedgerSection.tsx"
import { StatementSection } from "./balance/StatementSection.tsx"

const Balance = () => {
  const { t } = useI18n()
  const { has, isOperator } = useSession()
  const { api } = useOrganization()
  const query = useRead<BalanceData>(api("balance"), { every: 30_000 })
  const organization = useRead<Organization>(api(""))
  const [booking, setBooking] = useState<BookingKind>()
  const mayBook = isOperator && has("finance")
  const lowAt = organization.data?.balanceLowAt ?? null
  const actions = mayBook && (
    <>
      <Button onClick={() => setBooking("adjustments")}>{t.balance.adjust}</Button>
      <Button variant="primary" onClick={() => setBooking("top-ups")}>
        {t.balance.topUp}
      </Button>
    </>
  )
  return (
    <Page title={t.balance.title} intro={t.balance.intro} actions={actions}>
      <Loaded query={query}>
        {({ balance, currency, held }) => (
          <Tiles>
            <Tile
              label={t.balance.available}
              value={<Money amount={balance} currency={currency} />}
            />
            <Tile
              label={t.balance.held}
              value={<Money amount={held} currency={currency} />}
              note={t.balance.heldHint}
            />
            {lowAt !== null && (
              <Tile label={t.balance.lowAt} value={<Money amount={lowAt} currency={currency} />} />
            )}
          </Tiles>
        )}
      </Loaded>
      {!mayBook && <p className="table-note">{t.balance.financeOnly}</p>}
      <LedgerSection />
      <StatementSection />
      {booking !== undefined && <Booking kind={booking} onClose={() => setBooking(undefined)} />}
    </Page>
  )
}

export default Balance
