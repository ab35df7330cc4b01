import { useState } from "react"
import { useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { Balance as BalanceData, Ledger, LedgerEntry, Organization } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, Money, Time, type Tone } from "../ui/data.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Pager, Table } from "../ui/table.tsx"
import { Tile, Tiles } from "../ui/tiles.tsx"
import { Booking, type BookingKind } from "./balance/Booking.tsx"
import { StatementSection } from "./balance/StatementSection.tsx"

const tones: Readonly<Record<LedgerEntry["kind"], Tone>> = {
  "top-up": "good",
  adjustment: "warn",
  hold: "neutral",
  capture: "neutral",
  release: "info",
}

const useColumns = (): ReadonlyArray<Column<LedgerEntry>> => {
  const { t } = useI18n()
  const { host } = useSession()
  const money = (amount: string) => <Money amount={amount} currency={host.currency} />
  const orDash = (text: string | null) => text ?? "—"
  return [
    { key: "time", title: t.word.time, cell: ({ at }) => <Time iso={at} /> },
    {
      key: "kind",
      title: t.balance.kind,
      cell: ({ kind }) => <Badge tone={tones[kind]}>{t.entryKind[kind]}</Badge>,
    },
    { key: "amount", title: t.word.amount, align: "end", cell: ({ amount }) => money(amount) },
    { key: "balance", title: t.balance.after, align: "end", cell: ({ balance }) => money(balance) },
    {
      key: "held",
      title: t.balance.held,
      align: "end",
      extra: true,
      cell: ({ held }) => money(held),
    },
    {
      key: "message",
      title: t.balance.message,
      align: "end",
      wide: true,
      cell: ({ messageSequence }) =>
        messageSequence === null ? "—" : <Code>{messageSequence}</Code>,
    },
    {
      key: "note",
      title: t.balance.note,
      wide: true,
      cell: ({ note }) => <span className="clip">{orDash(note)}</span>,
    },
    {
      key: "payment",
      title: t.balance.paymentId,
      wide: true,
      cell: ({ paymentId }) => (paymentId === null ? "—" : <Code>{paymentId}</Code>),
    },
  ]
}

const LedgerSection = () => {
  const { t } = useI18n()
  const { api } = useOrganization()
  const [search] = useSearchParams()
  const path = withQuery(api("ledger"), { before: search.get("cursor"), limit: 50 })
  const query = useRead<Ledger>(path, { keep: true })
  const columns = useColumns()
  return (
    <Section title={t.balance.ledger}>
      <Loaded query={query}>
        {({ entries, next }) => (
          <>
            {entries.length === 0 ? (
              <Empty title={t.balance.ledgerEmpty} hint={t.balance.ledgerEmptyHint} />
            ) : (
              <Table
                label={t.balance.ledger}
                hasTimes
                columns={columns}
                rows={entries}
                rowKey={({ sequence }) => sequence}
              />
            )}
            <Pager next={next === null ? null : String(next)} busy={query.isPlaceholderData} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

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
