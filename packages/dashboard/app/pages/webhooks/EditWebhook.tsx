import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { CreatedWebhook, Webhook } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Dialog, FormButtons } from "../../ui/dialog.tsx"
import { CheckField, ChecksField, Form, TextField } from "../../ui/form.tsx"

interface Props {
  /** @defaultValue a new webhook */
  readonly webhook: Webhook | undefined
  readonly onClose: () => void
  /** A new webhook with its secret. */
  readonly onCreated?: (webhook: CreatedWebhook) => void
}

const fields = ["url", "description", "types", "isEnabled"]

const EditFields = ({ onClose, onCreated, webhook }: Props) => {
  const { t } = useI18n()
  const { api } = useOrganization()
  const [url, setUrl] = useState(webhook?.url ?? "")
  const [description, setDescription] = useState(webhook?.description ?? "")
  const [types, setTypes] = useState<ReadonlyArray<string>>(webhook?.types ?? [])
  const [isEnabled, setEnabled] = useState(webhook?.isEnabled ?? true)
  const write = useWrite<CreatedWebhook>(api("webhooks"))
  const submit = () => {
    const body = {
      url,
      description: description === "" ? null : description,
      types: types.length === 0 ? null : types,
      isEnabled,
    }
    if (webhook === undefined)
      write.mutate(
        { method: "POST", path: api("webhooks"), body },
        { onSuccess: (created) => onCreated?.(created) },
      )
    else
      write.mutate(
        { method: "PATCH", path: api(`webhooks/${encodeURIComponent(webhook.id)}`), body },
        { onSuccess: onClose },
      )
  }
  return (
    <Form error={write.error} fields={fields} onSubmit={submit}>
      <TextField
        name="url"
        label={t.webhooks.url}
        hint={t.webhooks.urlHint}
        inputMode="url"
        placeholder="https://"
        value={url}
        onChange={setUrl}
      />
      <TextField
        name="description"
        label={t.webhooks.description}
        optional
        value={description}
        onChange={setDescription}
      />
      <ChecksField
        name="types"
        label={t.webhooks.types}
        hint={t.webhooks.typesHint}
        value={types}
        onChange={setTypes}
        options={Object.entries(t.eventType).map(([value, label]) => ({ value, label }))}
      />
      <CheckField
        name="isEnabled"
        label={t.webhooks.enabledLabel}
        checked={isEnabled}
        onChange={setEnabled}
      />
      <FormButtons
        action={webhook === undefined ? t.webhooks.add : t.action.save}
        busy={write.isPending}
        onClose={onClose}
      />
    </Form>
  )
}

const EditWebhook = (props: Props) => {
  const { t } = useI18n()
  return (
    <Dialog
      open
      size="large"
      onOpenChange={(open) => open || props.onClose()}
      title={props.webhook === undefined ? t.webhooks.addTitle : t.webhooks.editTitle}
    >
      <EditFields {...props} />
    </Dialog>
  )
}

export default EditWebhook
