import { Suspense, useState } from "react"
import { useParams } from "wouter"
import { useRead } from "../api/client.ts"
import type { Webhook as WebhookData, WebhookList } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { activity as english } from "../i18n/en/activity.ts"
import { useI18n, useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { useActivityPeriod } from "../ui/activityPeriod.ts"
import { Code, Facts, Time } from "../ui/data.tsx"
import { MoreMenu } from "../ui/MoreMenu.tsx"
import { NotFound, Page } from "../ui/page.tsx"
import { PeriodToggle } from "../ui/PeriodToggle.tsx"
import { onDemand } from "../ui/onDemand.ts"
import { Loaded } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { SendTest } from "./webhooks/SendTest.tsx"
import { Attempts } from "./webhooks/Attempts.tsx"
import { WebhookBadge } from "./webhooks/WebhookBadge.tsx"
import { WebhookFigures } from "./webhooks/WebhookFigures.tsx"

const Remove = onDemand(async () => ({ default: (await import("./webhooks/actions.tsx")).Remove }))
const Replay = onDemand(async () => ({ default: (await import("./webhooks/actions.tsx")).Replay }))
const Rotate = onDemand(async () => ({ default: (await import("./webhooks/actions.tsx")).Rotate }))
const EditWebhook = onDemand(() => import("./webhooks/EditWebhook.tsx"))

/** The events that the receiver has not taken yet, which may be older than the newest ones below. */
const Retries = ({ retries }: Pick<WebhookData, "retries">) => {
  const { format, t } = useI18n()
  if (retries.length === 0) return null
  return (
    <details className="fold" open>
      <summary>{t.webhooks.retrying}</summary>
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
    </details>
  )
}

const WebhookFacts = ({ webhook }: { readonly webhook: WebhookData }) => {
  const { format, t } = useTexts(english)
  const time = (iso: string | null) => (iso === null ? "—" : <Time iso={iso} />)
  const types =
    webhook.types === null
      ? t.webhooks.allEvents
      : format.list(webhook.types.map((type) => t.eventType[type]))
  return (
    <details className="fold">
      <summary>{t.activity.configuration}</summary>
      <Facts
        items={[
          [t.webhooks.types, types],
          [t.webhooks.description, webhook.description ?? "—"],
          [t.word.created, time(webhook.createdAt)],
          [t.webhooks.oldSecret, time(webhook.oldSecretUntil)],
        ]}
      />
    </details>
  )
}

type Action = "edit" | "replay" | "rotate" | "remove"

const Details = ({ webhook }: { readonly webhook: WebhookData }) => {
  const { format, t } = useTexts(english)
  const { can } = useSession()
  const { page } = useOrganization()
  const { choose, name: periodName, period } = useActivityPeriod()
  const [action, setAction] = useState<Action>()
  const close = () => setAction(undefined)
  const names = {
    edit: t.action.edit,
    replay: t.webhooks.replay,
    rotate: t.webhooks.rotate,
    remove: t.webhooks.remove,
  }
  const actions = (
    <>
      <PeriodToggle value={periodName} onChange={choose} />
      {can("webhooks.update") && (
        <>
          <SendTest webhook={webhook} />
          <MoreMenu
            label={t.activity.more}
            items={(["edit", "replay", "rotate", "remove"] as const).map((name) => ({
              name: names[name],
              onChoose: () => setAction(name),
            }))}
          />
        </>
      )}
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
      <p>
        <WebhookBadge webhook={webhook} />
        {webhook.lastError !== null && <span className="text"> {webhook.lastError}</span>}
      </p>
      <WebhookFigures webhook={webhook} period={period} />
      <Attempts webhook={webhook} />
      <Retries retries={webhook.retries} />
      <WebhookFacts webhook={webhook} />
      <Suspense fallback={null}>
        {action === "edit" && <EditWebhook webhook={webhook} onClose={close} />}
        {action === "replay" && <Replay webhook={webhook} onClose={close} />}
        {action === "rotate" && <Rotate webhook={webhook} onClose={close} />}
        {action === "remove" && <Remove webhook={webhook} onClose={close} />}
      </Suspense>
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
