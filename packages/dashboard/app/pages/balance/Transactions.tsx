import { lazy, Suspense, useState } from "react"
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
import { Empty, Loaded, Loading } from "../../ui/states.tsx"
import { type Column, Pager, Table } from "../../ui/table.tsx"

const BatchMessages = lazy(() => import("./BatchMessages.tsx"))

const kinds = ["message", "top-up", "adjustment"] as const

const tones: Readonly<Record<NonNullable<Movement["state"]>, Tone>> = {
  held: "neutral",
  charged: "good",
  refunded: "info",
}

const State = ({ state }: Pick<Movement, "state">) => {
  const { t } = useI18n()
  return state !== null && <Badge tone={tones[state]}>{t.balance.states[state]}</Badge>
}

/** The message of a charge, with a link to its page. */
export const ToMessage = ({ movement }: { readonly movement: Movement }) => {
  const { t } = useI18n()
  const { page } = useOrganization()
  const { messageId, messageSequence, phoneNumber, state } = movement
  if (messageId === null)
    return <>{fill(t.balance.messageGone, { sequence: String(messageSequence) })}</>
  return (
    <>
      <Link href={page(`messages/${encodeURIComponent(messageId)}`)}>
        {t.transactionKind.message} <Code>{phoneNumber}</Code>
      </Link>{" "}
      <State state={state} />
    </>
  )
}

/** The messages of a batch, which are loaded when they are unfolded. */
const OfBatch = ({ movement }: { readonly movement: Movement }) => {
  const { format, t } = useI18n()
  const { page } = useOrganization()
  const [isOpen, setOpen] = useState(false)
  const { batchId, messages, state } = movement
  const counts = { one: t.balance.messagesOne, other: t.balance.messagesOther }
  return (
    <>
      <Link href={page(`batches/${encodeURIComponent(batchId ?? "")}`)}>{t.messages.batch}</Link>{" "}
      <State state={state} />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{format.plural(messages, counts)}</summary>
        {isOpen && (
          <Suspense fallback={<Loading />}>
            <BatchMessages movement={movement} />
          </Suspense>
        )}
      </details>
    </>
  )
}

/** The reason of a transaction: its messages, or its payment and note. */
const What = ({ movement }: { readonly movement: Movement }) => {
  const { t } = useI18n()
  const { kind, messages, note, paymentId } = movement
  if (messages > 1) return <OfBatch movement={movement} />
  if (kind === "message") return <ToMessage movement={movement} />
  const about = [paymentId, note].filter((text) => text !== null && text !== "").join(", ")
  return (
    <span className="clip">
      {t.transactionKind[kind]} {about}
    </span>
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

/** The ledger, in which a message with its hold, its charge and its refund is one row, and so is a batch. */
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
                rowKey={({ batchId, sequence }) => batchId ?? sequence}
              />
            )}
            <Pager next={next === null ? null : String(next)} busy={query.isPlaceholderData} />
          </>
        )}
      </Loaded>
    </Section>
  )
}
