import type { Webhook } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { Badge } from "../../ui/data.tsx"

export const WebhookBadge = ({ webhook }: { readonly webhook: Webhook }) => {
  const { t } = useI18n()
  if (!webhook.isEnabled) return <Badge tone="neutral">{t.webhooks.disabled}</Badge>
  if (webhook.status !== "active") return <Badge tone="bad">{t.webhooks[webhook.status]}</Badge>
  return <Badge tone={webhook.troubledSince === null ? "good" : "warn"}>{t.webhooks.active}</Badge>
}
