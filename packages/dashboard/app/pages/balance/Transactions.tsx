import { Link, useSearchParams } from "wouter"
import { useRead, withQuery } from "../../api/client.ts"
import type { Movement, MovementPage } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { CsvLink } from "../../ui/CsvLink.tsx"
import { Badge, Code, Money, Time, type Tone } from "../../ui/data.tsx"
import { isFiltered } from "../../ui/filterValues.ts"
import { type Filter, Filters, useFilterValues } from "../../ui/filters.tsx"
import { Section } from "../../ui/page.tsx"
import { Empty, Loaded } from "../../ui/states.tsx"
import { type Column, Pager, Table } from "../../ui/table.tsx"

const kinds = ["message", "top-up", "adjustment"] as const

const tones: Readonly<Record<NonNullable<Movement["state"]>, Tone>> = {
  held: "neutral",
  charged: "good",
  refunded: "info",
}

/** What a transaction was for. A message leads to its page. */
const What = ({ movement }: { readonly movement: Movement }) => {
  const { t } = useI18n()
  const { page } = useOrganization()
  const { kind, messageId, messageSequence, note, paymentId, phoneNumber, state } = movement
  if (kind !== "message") {
    const about = [paymentId, note].filter((text) => text !== null && text !== "").join(", ")
    return (
      <span className="clip">
        {t.transactionKind[kind]} {about}
      </span>
    )
  }
  if (messageId === null)
    return <>{fill(t.balance.messageGone, { sequence: String(messageSequence) })}</>
  return (
    <>
      <Link href={page(`messages/${encodeURIComponent(messageId)}`)}>
        {t.transactionKind.message} <Code>{phoneNumber}</Code>
      </Link>{" "}
      {state !== null && <Badge tone={tones[state]}>{t.balance.states[state]}</Badge>}
    </>
  )
}

const useColumns = (): ReadonlyArray<Column<Movement>> => {
  const { format, t } = useI18n()
  const { host } = useSession()
  return [
    { key: "time", title: t.word.time, cell: ({ at }) => <Time iso={at} /> },
    { key: "what", title: t.balance.what, cell: (movement) => <What movement={movement} /> },
    {
      key: "change",
      title: t.balance.change,
      align: "end",
      cell: ({ change }) => <span className="money">{format.change(change, host.currency)}</span>,
    },
    {
      key: "balance",
      title: t.balance.available,
      align: "end",
      cell: ({ balance }) => <Money amount={balance} currency={host.currency} />,
    },
    { key: "actor", title: t.balance.actor, extra: true, cell: ({ actor }) => actor ?? "—" },
  ]
}

/** The ledger, in which a message with its hold, its charge and its refund is one row. */
export const Transactions = () => {
  const { t } = useI18n()
  const { api } = useOrganization()
  const [search] = useSearchParams()
  const filters: ReadonlyArray<Filter> = [
    {
      name: "kinds",
      label: t.balance.kind,
      kind: "select",
      options: kinds.map((value) => ({ value, label: t.transactionKind[value] })),
    },
    { name: "from", label: t.word.from, kind: "time" },
    { name: "to", label: t.word.to, kind: "time" },
  ]
  const names = filters.map(({ name }) => name)
  const values = useFilterValues(names)
  const cursor = search.get("cursor")
  const path = withQuery(api("movements"), { ...values, before: cursor, limit: 50 })
  const query = useRead<MovementPage>(path, { keep: true })
  const columns = useColumns()
  const isSearch = cursor !== null || isFiltered(values)
  const empty = (next: MovementPage["next"]) =>
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
      title={t.balance.transactions}
      actions={<CsvLink path={api("movements.csv")} parameters={values} />}
    >
      <Filters error={query.error} filters={filters} onRepeat={() => void query.refetch()} />
      <Loaded query={query} fields={names}>
        {({ movements, next }) => (
          <>
            {movements.length === 0 ? (
              empty(next)
            ) : (
              <Table
                label={t.balance.transactions}
                hasTimes
                columns={columns}
                rows={movements}
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
