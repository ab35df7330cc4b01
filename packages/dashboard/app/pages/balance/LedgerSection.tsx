import { Link, useSearchParams } from "wouter"
import { useRead, withQuery } from "../../api/client.ts"
import type { Ledger, LedgerEntry } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { CsvLink } from "../../ui/CsvLink.tsx"
import { Badge, Code, Money, Time, type Tone } from "../../ui/data.tsx"
import { type Filter, Filters, useFilterValues } from "../../ui/filters.tsx"
import { Section } from "../../ui/page.tsx"
import { Empty, Loaded } from "../../ui/states.tsx"
import { type Column, Pager, Table } from "../../ui/table.tsx"
import { effectOf } from "./effects.ts"
import { kinds } from "./StatementSection.tsx"

const tones: Readonly<Record<LedgerEntry["kind"], Tone>> = {
  "top-up": "good",
  adjustment: "warn",
  hold: "neutral",
  capture: "neutral",
  release: "info",
}

const useColumns = (): ReadonlyArray<Column<LedgerEntry>> => {
  const { format, t } = useI18n()
  const { host } = useSession()
  const { page } = useOrganization()
  const change = (of: "balance" | "held", title: string): Column<LedgerEntry> => ({
    key: `${of}Change`,
    title,
    align: "end",
    cell: ({ amount, kind }) => (
      <span className="money">{format.change(effectOf(kind, amount)[of], host.currency)}</span>
    ),
  })
  return [
    { key: "time", title: t.word.time, cell: ({ at }) => <Time iso={at} /> },
    {
      key: "kind",
      title: t.balance.kind,
      cell: ({ kind }) => <Badge tone={tones[kind]}>{t.entryKind[kind]}</Badge>,
    },
    change("balance", t.balance.change),
    change("held", t.balance.held),
    {
      key: "balance",
      title: t.balance.after,
      align: "end",
      cell: ({ balance }) => <Money amount={balance} currency={host.currency} />,
    },
    {
      key: "message",
      title: t.balance.message,
      align: "end",
      wide: true,
      cell: ({ messageSequence }) =>
        messageSequence === null ? (
          "—"
        ) : (
          <Link href={page(`messages/${messageSequence}`)}>
            <Code>{messageSequence}</Code>
          </Link>
        ),
    },
    {
      key: "note",
      title: t.balance.note,
      wide: true,
      cell: ({ note }) => <span className="clip">{note ?? "—"}</span>,
    },
    {
      key: "payment",
      title: t.balance.paymentId,
      wide: true,
      cell: ({ paymentId }) => (paymentId === null ? "—" : <Code>{paymentId}</Code>),
    },
    { key: "actor", title: t.balance.actor, extra: true, cell: ({ actor }) => actor ?? "—" },
  ]
}

export const LedgerSection = () => {
  const { t } = useI18n()
  const { api } = useOrganization()
  const [search] = useSearchParams()
  const filters: ReadonlyArray<Filter> = [
    {
      name: "kinds",
      label: t.balance.kind,
      kind: "select",
      options: kinds.map((value) => ({ value, label: t.entryKind[value] })),
    },
    { name: "from", label: t.word.from, kind: "time" },
    { name: "to", label: t.word.to, kind: "time" },
  ]
  const names = filters.map(({ name }) => name)
  const values = useFilterValues(names)
  const cursor = search.get("cursor")
  const path = withQuery(api("ledger"), { ...values, before: cursor, limit: 50 })
  const query = useRead<Ledger>(path, { keep: true })
  const columns = useColumns()
  const isSearch = cursor !== null || Object.values(values).some((value) => value !== null)
  const empty = (next: Ledger["next"]) =>
    isSearch ? (
      <Empty
        title={t.balance.ledgerNone}
        {...(next === null ? {} : { hint: t.balance.ledgerMore })}
      />
    ) : (
      <Empty title={t.balance.ledgerEmpty} hint={t.balance.ledgerEmptyHint} />
    )
  return (
    <Section
      title={t.balance.ledger}
      actions={<CsvLink path={api("ledger.csv")} parameters={values} />}
    >
      <Filters error={query.error} filters={filters} onRepeat={() => void query.refetch()} />
      <Loaded query={query} fields={names}>
        {({ entries, next }) => (
          <>
            {entries.length === 0 ? (
              empty(next)
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
