import { useWrite } from "../../api/client.ts"
import type { Webhook } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"

/** Sends one request that is no event, and shows what the receiver answered. */
export const SendTest = ({ webhook }: { readonly webhook: Webhook }) => {
  const { t } = useI18n()
  const path = useOrganization().api(`webhooks/${encodeURIComponent(webhook.id)}`)
  const write = useWrite<{ readonly isDelivered: boolean; readonly error: string | null }>()
  return (
    <>
      <Button
        busy={write.isPending}
        onClick={() => write.mutate({ method: "POST", path: `${path}/test` })}
      >
        {t.webhooks.test}
      </Button>
      <span
        role="status"
        className={`outcome ${write.data?.isDelivered === true ? "good" : "bad"}`}
      >
        {write.data !== undefined &&
          (write.data.isDelivered
            ? t.webhooks.testOk
            : fill(t.webhooks.testFailed, { error: write.data.error ?? "" }))}
        {write.error?.message}
      </span>
    </>
  )
}
