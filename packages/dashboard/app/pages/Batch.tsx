import { useState } from "react"
import { useParams } from "wouter"
import { useRead, useWrite } from "../api/client.ts"
import type { Batch as BatchData } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { batches as english } from "../i18n/en/batches.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Facts, Money, Time } from "../ui/data.tsx"
import { Confirm } from "../ui/dialog.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Problem } from "../ui/problem.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { useNotify } from "../ui/toasts.tsx"
import { BatchBadge } from "./batches/BatchBadge.tsx"
import { timeLeft } from "./batches/timeLeft.ts"

interface BatchProps {
  readonly batch: BatchData
}

const isOpen = ({ status }: BatchData): boolean =>
  status === "writing" || status === "running" || status === "paused"

/** Pauses, resumes and cancels. */
const Actions = ({ batch }: BatchProps) => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  const notify = useNotify()
  const [isAsking, setAsking] = useState(false)
  const write = useWrite(api("batches"))
  const change = (what: "cancel" | "pause" | "resume", done: string) => () =>
    write.mutate(
      { method: "POST", path: api(`batches/${encodeURIComponent(batch.id)}/${what}`) },
      {
        onSuccess: () => {
          setAsking(false)
          notify(done)
        },
      },
    )
  const ask = () => {
    // The question is no part of an earlier error.
    write.reset()
    setAsking(true)
  }
  return (
    <>
      {batch.status === "running" && (
        <Button busy={write.isPending} onClick={change("pause", t.batches.paused)}>
          {t.batches.pause}
        </Button>
      )}
      {batch.status === "paused" && (
        <Button
          variant="primary"
          busy={write.isPending}
          onClick={change("resume", t.batches.resumed)}
        >
          {t.batches.resume}
        </Button>
      )}
      {isOpen(batch) && <Button onClick={ask}>{t.batches.cancel}</Button>}
      {!isAsking && <Problem error={write.error} />}
      <Confirm
        open={isAsking}
        title={t.batches.cancelTitle}
        text={t.batches.cancelText}
        action={t.batches.cancel}
        cancel={t.action.close}
        busy={write.isPending}
        error={write.error}
        onClose={() => setAsking(false)}
        onConfirm={change("cancel", t.batches.cancelled)}
      />
    </>
  )
}

const Progress = ({ batch: { queued, recipients } }: BatchProps) => {
  const { format, t } = useTexts(english)
  const done = format.number(recipients - queued)
  const label = fill(t.batches.progress, { done, total: format.number(recipients) })
  return (
    <div className="progress">
      <progress aria-label={label} max={recipients} value={recipients - queued} />
      <p>{label}</p>
    </div>
  )
}

const BatchFacts = ({ batch }: BatchProps) => {
  const { format, t } = useTexts(english)
  const { host } = useSession()
  const time = (iso: string | null) => (iso === null ? "—" : <Time iso={iso} />)
  const money = (amount: string) => <Money amount={amount} currency={host.currency} />
  return (
    <Facts
      items={[
        [t.word.status, <BatchBadge key="status" status={batch.status} />],
        [t.batches.timeLeft, timeLeft(batch, t, format)],
        [t.batches.spent, money(batch.spent)],
        [t.batches.estimate, money(batch.estimate)],
        [t.batches.recipients, format.number(batch.recipients)],
        [t.batches.waiting, format.number(batch.queued)],
        [t.batches.segments, format.number(batch.segments)],
        [t.batches.duplicates, format.number(batch.duplicates)],
        [t.batches.refused, format.number(batch.refused)],
        [t.batches.class, t.messageClass[batch.class]],
        [t.word.channel, t.channel[batch.channel]],
        [t.batches.sender, batch.sender ?? t.batches.senderDefault],
        [t.batches.pace, batch.pace === null ? t.batches.paceNone : format.number(batch.pace)],
        [t.word.created, time(batch.createdAt)],
        [t.batches.sendAt, time(batch.sendAt)],
        [t.batches.expiresAt, time(batch.expiresAt)],
        [t.batches.started, time(batch.startedAt)],
        [t.batches.ended, time(batch.endedAt)],
        [
          t.batches.text,
          <span key="text" className="text">
            {batch.text === "" ? t.batches.textOfRows : batch.text}
          </span>,
        ],
      ]}
    />
  )
}

const Outcomes = ({ batch: { outcomes } }: BatchProps) => {
  const { format, t } = useTexts(english)
  const { host } = useSession()
  const names = { ...t.messageStatus, ...t.batchDrop }
  if (outcomes.length === 0) return <Empty title={t.batches.noOutcomes} />
  return (
    <Table
      label={t.batches.outcomes}
      rows={outcomes}
      rowKey={({ outcome }) => outcome}
      columns={[
        { key: "outcome", title: t.batches.outcome, cell: ({ outcome }) => names[outcome] },
        {
          key: "count",
          title: t.batches.count,
          align: "end",
          cell: ({ count }) => format.number(count),
        },
        {
          key: "amount",
          title: t.batches.amount,
          align: "end",
          cell: ({ amount }) => <Money amount={amount} currency={host.currency} />,
        },
        {
          key: "refunded",
          title: t.batches.refunded,
          align: "end",
          cell: ({ refunded }) => <Money amount={refunded} currency={host.currency} />,
        },
      ]}
    />
  )
}

const Batch = () => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const { api, page } = useOrganization()
  const { id = "" } = useParams<{ id: string }>()
  const query = useRead<BatchData>(api(`batches/${encodeURIComponent(id)}`), { every: 5_000 })
  const actions = can("batches.pause") && query.data !== undefined && <Actions batch={query.data} />
  return (
    <Page
      title={t.batches.detail}
      up={{ href: page("batches"), title: t.batches.title }}
      actions={actions}
    >
      <Loaded query={query}>
        {(batch) => (
          <>
            {batch.pausedReason === "balance" && (
              <p className="notice warn">{t.batches.pausedBalance}</p>
            )}
            <Progress batch={batch} />
            <BatchFacts batch={batch} />
            <Section title={t.batches.outcomes}>
              <Outcomes batch={batch} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

export default Batch
