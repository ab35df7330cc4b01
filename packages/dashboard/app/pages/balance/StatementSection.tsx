import { useState } from "react"
import { useRead, withQuery } from "../../api/client.ts"
import type { LedgerEntry, Statement } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { CsvLink } from "../../ui/CsvLink.tsx"
import { TextField } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { localOf } from "../../ui/localTime.ts"
import { Loaded } from "../../ui/states.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { effectOf } from "./effects.ts"

export const kinds: ReadonlyArray<LedgerEntry["kind"]> = [
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

/** A statement of whole days in the reader's zone. */
export const StatementSection = () => {
  const { format, locale, t } = useI18n()
  const { api } = useOrganization()
  const [today] = useState(() => new Date())
  const [from, setFrom] = useState(dayOf(new Date(today.getFullYear(), today.getMonth(), 1)))
  const [to, setTo] = useState(dayOf(today))
  const period = { from: startOf(from, 0), to: startOf(to, 1) }
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
      actions={<CsvLink path={api("statement.csv")} parameters={period} />}
    >
      <div className="filters">
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
      </div>
      <Loaded query={query}>{(statement) => <Sums statement={statement} />}</Loaded>
    </Section>
  )
}
