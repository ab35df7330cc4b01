import { useState } from "react"
import { useRead, withQuery } from "../../api/client.ts"
import type { LedgerEntry, Statement } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { CsvLink } from "../../ui/CsvLink.tsx"
import { Button } from "../../ui/button.tsx"
import { SelectField, TextField } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { localOf } from "../../ui/localTime.ts"
import { Loaded } from "../../ui/states.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { effectOf } from "./effects.ts"

const kinds: ReadonlyArray<LedgerEntry["kind"]> = [
  "top-up",
  "adjustment",
  "hold",
  "capture",
  "release",
]

/** The start of a day in the reader's zone; of the next day, for the exclusive end of a period. */
const startOf = (day: string, plusDays: number): string | undefined => {
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + plusDays)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

const dayOf = (date: Date): string => localOf(date.toISOString()).slice(0, 10)

const Sums = ({ statement }: { readonly statement: Statement }) => {
  const { format, t } = useI18n()
  const { closing, currency, entries, opening } = statement
  const rows = [
    { key: "opening", label: t.balance.opening, count: "", show: format.money, ...opening },
    ...kinds.map((kind) => ({
      key: kind,
      label: t.entryKind[kind],
      count: format.number(entries[kind].count),
      show: format.change,
      ...effectOf(kind, entries[kind].amount),
    })),
    { key: "closing", label: t.balance.closing, count: "", show: format.money, ...closing },
  ]
  const amounts = (key: "balance" | "held", title: string): Column<(typeof rows)[number]> => ({
    key,
    title,
    align: "end",
    cell: (row) => <span className="money">{row.show(row[key], currency)}</span>,
  })
  return (
    <Table
      label={t.balance.statement}
      rows={rows}
      rowKey={({ key }) => key}
      columns={[
        { key: "kind", title: t.balance.kind, cell: ({ label }) => label },
        { key: "count", title: t.balance.count, align: "end", cell: ({ count }) => count },
        amounts("balance", t.balance.available),
        amounts("held", t.balance.held),
      ]}
    />
  )
}

/** Number of months to choose from, and the choice of other days. */
const shownMonths = 12
const own = "own"

/** A statement of a month, or of whole days, in the reader's zone. */
const StatementSection = () => {
  const { format, locale, t } = useI18n()
  const { api, id } = useOrganization()
  const [today] = useState(() => new Date())
  const [month, setMonth] = useState("0")
  const [ownFrom, setFrom] = useState(dayOf(new Date(today.getFullYear(), today.getMonth(), 1)))
  const [ownTo, setTo] = useState(dayOf(today))
  const isOwn = month === own
  const ago = isOwn ? 0 : Number(month)
  const monthDay = (monthsAgo: number, day: number) =>
    dayOf(new Date(today.getFullYear(), today.getMonth() - monthsAgo, day))
  const from = isOwn ? ownFrom : monthDay(ago, 1)
  const to = isOwn ? ownTo : monthDay(ago - 1, 0)
  const period = { from: startOf(from, 0), to: startOf(to, 1) }
  const months = new Intl.DateTimeFormat(locale === "bn" ? "bn-BD" : "en-GB", {
    month: "long",
    year: "numeric",
  })
  const options = [
    ...Array.from({ length: shownMonths }, (_, index) => ({
      value: String(index),
      label: months.format(new Date(today.getFullYear(), today.getMonth() - index, 1)),
    })),
    { value: own, label: t.balance.ownPeriod },
  ]
  // The browser shows the fields in its own language.
  const hint = (day: string) => (locale === "bn" ? { hint: format.day(day) } : {})
  const isWhole = period.from !== undefined && period.to !== undefined
  const query = useRead<Statement>(withQuery(api("statement"), period), {
    enabled: isWhole,
    keep: true,
  })
  return (
    <Section
      title={t.balance.statement}
      intro={t.balance.statementIntro}
      actions={
        <>
          <Button onClick={() => print()}>{t.balance.print}</Button>
          <CsvLink path={api("statement.csv")} parameters={period} />
        </>
      }
    >
      <p className="print-only">
        {id}, {format.day(from)} – {format.day(to)}
      </p>
      <div className="filters">
        <SelectField
          name="month"
          label={t.balance.period}
          value={month}
          onChange={setMonth}
          options={options}
        />
        {isOwn && (
          <>
            <TextField
              name="from"
              label={t.word.from}
              type="date"
              value={from}
              onChange={setFrom}
              {...hint(from)}
            />
            <TextField
              name="to"
              label={t.word.to}
              type="date"
              value={to}
              onChange={setTo}
              {...hint(to)}
            />
          </>
        )}
      </div>
      <Loaded query={query}>{(statement) => <Sums statement={statement} />}</Loaded>
    </Section>
  )
}

export default StatementSection
