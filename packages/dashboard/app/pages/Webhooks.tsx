import { useState } from "react"
import { Link } from "wouter"
import { useRead } from "../api/client.ts"
import type { CreatedWebhook, Webhook, WebhookList } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Page } from "../ui/page.tsx"
import { SecretDialog } from "../ui/secret.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { EditWebhook } from "./webhooks/EditWebhook.tsx"
import { WebhookBadge } from "./webhooks/WebhookBadge.tsx"

const useColumns = (): ReadonlyArray<Column<Webhook>> => {
  const { format, t } = useI18n()
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
      key: "types",
      title: t.webhooks.types,
      wide: true,
      cell: ({ types }) => (types === null ? t.webhooks.allEvents : format.number(types.length)),
    },
    {
      key: "position",
      title: t.webhooks.position,
      align: "end",
      cell: ({ position }) => format.number(position),
    },
    {
      key: "retrying",
      title: t.webhooks.retrying,
      align: "end",
      wide: true,
      cell: ({ retrying }) => format.number(retrying),
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
  const { has } = useSession()
  const { api } = useOrganization()
  const query = useRead<WebhookList>(api("webhooks"), { every: 15_000 })
  const columns = useColumns()
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<CreatedWebhook>()
  const add = has("admin") && (
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
        <EditWebhook
          webhook={undefined}
          onClose={() => setAdding(false)}
          onCreated={(webhook) => {
            setAdding(false)
            setCreated(webhook)
          }}
        />
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
