/** The actions on a webhook, each with its question. */
import { useState } from "react"
import { useLocation } from "wouter"
import { useWrite } from "../../api/client.ts"
import type { Webhook } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { ConfirmWrite } from "../../ui/confirmWrite.tsx"
import { Confirm, Dialog, FormButtons } from "../../ui/dialog.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { SecretDialog } from "../../ui/secret.tsx"
import { useNotify } from "../../ui/toasts.tsx"

interface Props {
  readonly webhook: Webhook
  readonly onClose: () => void
}

const usePath = ({ id }: Webhook): string =>
  useOrganization().api(`webhooks/${encodeURIComponent(id)}`)

export const Rotate = ({ onClose, webhook }: Props) => {
  const { t } = useI18n()
  const { api } = useOrganization()
  const path = usePath(webhook)
  const write = useWrite<{ readonly secret: string }>(api("webhooks"))
  if (write.data !== undefined)
    return (
      <SecretDialog
        title={t.webhooks.secretTitle}
        text={t.webhooks.secretText}
        lost={t.webhooks.secretLost}
        label={t.webhooks.secretLabel}
        secret={write.data.secret}
        onClose={onClose}
      />
    )
  return (
    <Confirm
      open
      title={t.webhooks.rotateTitle}
      text={t.webhooks.rotateText}
      action={t.webhooks.rotate}
      busy={write.isPending}
      error={write.error}
      onClose={onClose}
      onConfirm={() => write.mutate({ method: "POST", path: `${path}/rotate-secret`, body: {} })}
    />
  )
}

export const Replay = ({ onClose, webhook }: Props) => {
  const { format, t } = useI18n()
  const { api } = useOrganization()
  const notify = useNotify()
  const path = usePath(webhook)
  const [after, setAfter] = useState("")
  const write = useWrite<{ readonly after: number }>(api("webhooks"))
  const submit = () => {
    const body = after === "" ? {} : { after: Number(after) }
    const onSuccess = (replayed: { readonly after: number }) => {
      notify(fill(t.webhooks.replayed, { after: format.number(replayed.after) }))
      onClose()
    }
    write.mutate({ method: "POST", path: `${path}/replay`, body }, { onSuccess })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t.webhooks.replayTitle}
      description={t.webhooks.replayText}
    >
      <Form error={write.error} fields={["after"]} onSubmit={submit}>
        <TextField
          name="after"
          label={t.webhooks.after}
          hint={t.webhooks.afterHint}
          inputMode="numeric"
          value={after}
          onChange={setAfter}
        />
        <FormButtons action={t.webhooks.replay} busy={write.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

export const Remove = ({ onClose, webhook }: Props) => {
  const { t } = useI18n()
  const { api, page } = useOrganization()
  const [, navigate] = useLocation()
  return (
    <ConfirmWrite
      title={t.webhooks.removeTitle}
      text={t.webhooks.removeText}
      action={t.webhooks.remove}
      write={{ method: "DELETE", path: usePath(webhook) }}
      stale={api("webhooks")}
      done={t.webhooks.removed}
      onDone={() => navigate(page("webhooks"))}
      onClose={onClose}
    />
  )
}
