import { Suspense, useState } from "react"
import { Link } from "wouter"
import { useRead } from "../api/client.ts"
import type { CreatedWebhook, Webhook, WebhookList } from "../api/types.ts"
import { activity as english } from "../i18n/en/activity.ts"
import { useI18n, useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { activityPeriod } from "../ui/activityPeriod.ts"
import { Button } from "../ui/button.tsx"
import { Page } from "../ui/page.tsx"
import { SecretDialog } from "../ui/secret.tsx"
import { onDemand } from "../ui/onDemand.ts"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { WebhookBadge } from "./webhooks/WebhookBadge.tsx"
import { useTakenText, useWebhookActivity } from "./webhooks/WebhookFigures.tsx"

const EditWebhook = onDemand(() => import("./webhooks/EditWebhook.tsx"))

interface FigureProps {
  readonly webhook: Webhook
  readonly figure: "taken" | "waiting"
}

/** A figure of the last 24 hours. */
const Figure = ({ figure, webhook }: FigureProps) => {
  const { format } = useI18n()
  const [period] = useState(() => activityPeriod("24h", Date.now()))
  const takenText = useTakenText()
  const activity = useWebhookActivity(webhook, period).data
  if (activity === undefined) return "…"
  return figure === "taken" ? takenText(activity) : format.number(activity.waiting)
}

const useColumns = (): ReadonlyArray<Column<Webhook>> => {
  const { format, t } = useTexts(english)
  const { page } = useOrganization()
  return [
    {
      key: "url",
      title: t.webhooks.url,
      cell: ({ id, url }) => <Link href={page(`webhooks/${encodeURIComponent(id)}`)}>{url}</Link>,
    },
    { key: "status", title: t.word.status, cell: (webhook) => <WebhookBadge webhook={webhook} /> },
    {
      key: "description",
      title: t.webhooks.description,
      wide: true,
      cell: ({ description }) => <span className="clip">{description ?? "—"}</span>,
    },
    {
      key: "taken",
      title: t.activity.taken,
      align: "end",
      cell: (webhook) => <Figure webhook={webhook} figure="taken" />,
    },
    {
      key: "waiting",
      title: t.activity.waiting,
      align: "end",
      cell: (webhook) => <Figure webhook={webhook} figure="waiting" />,
    },
    {
      key: "types",
      title: t.webhooks.types,
      extra: true,
      cell: ({ types }) => (types === null ? t.webhooks.allEvents : format.number(types.length)),
    },
    {
      key: "error",
      title: t.webhooks.lastError,
      wide: true,
      cell: ({ lastError }) => lastError ?? "—",
    },
  ]
}

const Webhooks = () => {
  const { t } = useI18n()
  const { can } = useSession()
  const { api } = useOrganization()
  const query = useRead<WebhookList>(api("webhooks"), { every: 15_000 })
  const columns = useColumns()
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<CreatedWebhook>()
  const add = can("webhooks.create") && (
    <Button variant="primary" onClick={() => setAdding(true)}>
      {t.webhooks.add}
    </Button>
  )
  return (
    <Page title={t.webhooks.title} intro={t.webhooks.intro} actions={add}>
      <Loaded query={query}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title={t.webhooks.empty} hint={t.webhooks.emptyHint} />
          ) : (
            <Table
              label={t.webhooks.title}
              columns={columns}
              rows={webhooks}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      {isAdding && (
        <Suspense fallback={null}>
          <EditWebhook
            webhook={undefined}
            onClose={() => setAdding(false)}
            onCreated={(webhook) => {
              setAdding(false)
              setCreated(webhook)
            }}
          />
        </Suspense>
      )}
      {created !== undefined && (
        <SecretDialog
          title={t.webhooks.secretTitle}
          text={t.webhooks.secretText}
          lost={t.webhooks.secretLost}
          label={t.webhooks.secretLabel}
          secret={created.secret}
          onClose={() => setCreated(undefined)}
        />
      )}
    </Page>
  )
}

export default Webhooks
