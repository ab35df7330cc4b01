import { useState } from "react"
import { useParams } from "wouter"
import { useRead } from "../api/client.ts"
import type { EventPage, Webhook as WebhookData, WebhookList } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, Facts, Time } from "../ui/data.tsx"
import { NotFound, Page, Section } from "../ui/page.tsx"
import { elapsed } from "../ui/elapsed.ts"
import { Empty, Loaded } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { Remove, Replay, Rotate, SendTest } from "./webhooks/actions.tsx"
import { EditWebhook } from "./webhooks/EditWebhook.tsx"
import { useNewestEvents } from "./webhooks/newestEvents.ts"
import { WebhookBadge } from "./webhooks/WebhookBadge.tsx"

type Event = EventPage["events"][number]

const shownEvents = 50

const Delivery = ({ event, webhook }: { readonly event: Event; readonly webhook: WebhookData }) => {
  const { t } = useI18n()
  const isSelected = webhook.types === null || webhook.types.includes(event.type)
  if (!isSelected) return <span className="muted">{t.webhooks.filtered}</span>
  if (event.sequence > webhook.position) return <Badge tone="warn">{t.webhooks.notDelivered}</Badge>
  // Whether older events were sent is not known: the webhook may have begun with an earlier one.
  if (event.at < webhook.createdAt) return "—"
  return webhook.retries.some(({ sequence }) => sequence === event.sequence) ? (
    <Badge tone="warn">{t.webhooks.waits}</Badge>
  ) : (
    <Badge tone="good">{t.webhooks.delivered}</Badge>
  )
}

/** The events that the receiver has not taken yet, which may be older than the newest ones below. */
const Retries = ({ retries }: Pick<WebhookData, "retries">) => {
  const { format, t } = useI18n()
  if (retries.length === 0) return null
  return (
    <Section title={t.webhooks.retrying}>
      <Table
        label={t.webhooks.retrying}
        hasTimes
        rows={retries}
        rowKey={({ sequence }) => sequence}
        columns={[
          {
            key: "sequence",
            title: t.webhooks.sequence,
            align: "end",
            cell: ({ sequence }) => <Code>{sequence}</Code>,
          },
          {
            key: "attempts",
            title: t.webhooks.attempts,
            align: "end",
            cell: ({ attempts }) => format.number(attempts),
          },
          { key: "next", title: t.webhooks.retryAt, cell: ({ nextAt }) => <Time iso={nextAt} /> },
        ]}
      />
    </Section>
  )
}

/** Number of characters of an answer that a row shows. */
const answerLength = 60

/** The first bytes of an answer. A long one opens. */
const Answer = ({ text }: { readonly text: string }) =>
  text.length <= answerLength ? (
    <Code>{text}</Code>
  ) : (
    <details>
      <summary>
        <Code>{`${text.slice(0, answerLength)}…`}</Code>
      </summary>
      <span className="evidence">{text}</span>
    </details>
  )

/** The newest requests to the receiver, with what it answered. */
const Attempts = ({ attempts }: Pick<WebhookData, "attempts">) => {
  const { format, t } = useI18n()
  if (attempts.length === 0) return null
  return (
    <Section title={t.webhooks.newestAttempts}>
      <Table
        label={t.webhooks.newestAttempts}
        hasTimes
        rows={attempts}
        rowKey={({ at, sequence }) => `${sequence} ${at}`}
        columns={[
          {
            key: "sequence",
            title: t.webhooks.sequence,
            align: "end",
            cell: ({ sequence }) => <Code>{sequence}</Code>,
          },
          { key: "time", title: t.word.time, cell: ({ at }) => <Time iso={at} /> },
          {
            key: "status",
            title: t.webhooks.statusCode,
            cell: ({ error, status }) => (
              <Badge tone={error === null ? "good" : "warn"}>{status ?? t.webhooks.noAnswer}</Badge>
            ),
          },
          {
            key: "elapsed",
            title: t.webhooks.elapsed,
            align: "end",
            cell: ({ millis }) => format.duration(elapsed(millis)),
          },
          {
            key: "answer",
            title: t.webhooks.answer,
            cell: ({ answer, error, status }) =>
              answer === null ? status === null ? error : "—" : <Answer text={answer} />,
          },
        ]}
      />
    </Section>
  )
}

const Deliveries = ({ webhook }: { readonly webhook: WebhookData }) => {
  const { t } = useI18n()
  const query = useNewestEvents(shownEvents)
  return (
    <Section title={t.webhooks.deliveries} intro={t.webhooks.deliveriesIntro}>
      <Loaded query={query}>
        {({ events }) =>
          events.length === 0 ? (
            <Empty title={t.webhooks.noEvents} />
          ) : (
            <Table
              label={t.webhooks.deliveries}
              hasTimes
              rows={events.toReversed()}
              rowKey={({ sequence }) => sequence}
              columns={[
                {
                  key: "sequence",
                  title: t.webhooks.sequence,
                  align: "end",
                  cell: ({ sequence }) => <Code>{sequence}</Code>,
                },
                { key: "event", title: t.webhooks.event, cell: ({ type }) => t.eventType[type] },
                {
                  key: "type",
                  title: t.balance.kind,
                  wide: true,
                  cell: ({ type }) => <Code>{type}</Code>,
                },
                { key: "time", title: t.word.time, cell: ({ at }) => <Time iso={at} /> },
                {
                  key: "delivery",
                  title: t.webhooks.delivery,
                  cell: (event) => <Delivery event={event} webhook={webhook} />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}

const WebhookFacts = ({ webhook }: { readonly webhook: WebhookData }) => {
  const { format, t } = useI18n()
  const time = (iso: string | null) => (iso === null ? "—" : <Time iso={iso} />)
  const types =
    webhook.types === null
      ? t.webhooks.allEvents
      : format.list(webhook.types.map((type) => t.eventType[type]))
  return (
    <Facts
      items={[
        [t.word.status, <WebhookBadge key="status" webhook={webhook} />],
        [t.webhooks.position, format.number(webhook.position)],
        [t.webhooks.retrying, format.number(webhook.retrying)],
        [t.webhooks.retryAt, time(webhook.retryAt)],
        [t.webhooks.lastError, webhook.lastError ?? "—"],
        [t.webhooks.oldSecret, time(webhook.oldSecretUntil)],
        [t.word.created, time(webhook.createdAt)],
        [t.webhooks.types, types],
        [t.webhooks.description, webhook.description ?? "—"],
      ]}
    />
  )
}

type Action = "edit" | "replay" | "rotate" | "remove"

const Details = ({ webhook }: { readonly webhook: WebhookData }) => {
  const { format, t } = useI18n()
  const { has } = useSession()
  const { page } = useOrganization()
  const [action, setAction] = useState<Action>()
  const close = () => setAction(undefined)
  const names = {
    edit: t.action.edit,
    replay: t.webhooks.replay,
    rotate: t.webhooks.rotate,
    remove: t.webhooks.remove,
  }
  const actions = has("admin") && (
    <>
      <SendTest webhook={webhook} />
      {(["replay", "rotate", "edit", "remove"] as const).map((name) => (
        <Button key={name} onClick={() => setAction(name)}>
          {names[name]}
        </Button>
      ))}
    </>
  )
  const ended = { active: undefined, failing: t.webhooks.failingText, gone: t.webhooks.goneText }[
    webhook.status
  ]
  const { slowUntil, troubledSince } = webhook
  return (
    <Page
      title={webhook.url}
      up={{ href: page("webhooks"), title: t.webhooks.title }}
      actions={actions}
    >
      {ended !== undefined && <p className="notice warn">{ended}</p>}
      {ended === undefined && troubledSince !== null && (
        <p className="notice warn">
          {fill(t.webhooks.troubled, { time: format.time(troubledSince) })}
        </p>
      )}
      {ended === undefined && slowUntil !== null && (
        <p className="notice">{fill(t.webhooks.slow, { time: format.time(slowUntil) })}</p>
      )}
      <WebhookFacts webhook={webhook} />
      <Attempts attempts={webhook.attempts} />
      <Retries retries={webhook.retries} />
      <Deliveries webhook={webhook} />
      {action === "edit" && <EditWebhook webhook={webhook} onClose={close} />}
      {action === "replay" && <Replay webhook={webhook} onClose={close} />}
      {action === "rotate" && <Rotate webhook={webhook} onClose={close} />}
      {action === "remove" && <Remove webhook={webhook} onClose={close} />}
    </Page>
  )
}

const Webhook = () => {
  const { api } = useOrganization()
  const { id } = useParams<{ id: string }>()
  const query = useRead<WebhookList>(api("webhooks"), { every: 15_000 })
  return (
    <Loaded query={query}>
      {({ webhooks }) => {
        const webhook = webhooks.find((one) => one.id === id)
        return webhook === undefined ? <NotFound /> : <Details webhook={webhook} />
      }}
    </Loaded>
  )
}

export default Webhook
