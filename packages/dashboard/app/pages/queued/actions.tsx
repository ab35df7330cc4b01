/** The actions on a queued message, each with its question. */
import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { QueuedMessage } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { queued as english } from "../../i18n/en/queued.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { ConfirmWrite } from "../../ui/confirmWrite.tsx"
import { Dialog, FormButtons } from "../../ui/dialog.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { isoOf, localOf } from "../../ui/localTime.ts"
import { useNotify } from "../../ui/toasts.tsx"

interface Props {
  readonly message: QueuedMessage
  readonly onClose: () => void
}

const usePaths = ({ id }: QueuedMessage) => {
  const { api } = useOrganization()
  const list = api("queued-messages")
  return { list, path: `${list}/${encodeURIComponent(id)}` }
}

export const Cancel = ({ message, onClose }: Props) => {
  const { t } = useTexts(english)
  const { list, path } = usePaths(message)
  return (
    <ConfirmWrite
      title={fill(t.queued.cancelTitle, { number: message.phoneNumber })}
      text={t.queued.cancelText}
      action={t.queued.cancel}
      cancel={t.action.close}
      write={{ method: "POST", path: `${path}/cancel` }}
      stale={list}
      done={t.queued.cancelled}
      onClose={onClose}
    />
  )
}

export const Reschedule = ({ message, onClose }: Props) => {
  const { format, t } = useTexts(english)
  const notify = useNotify()
  const { list, path } = usePaths(message)
  const write = useWrite<QueuedMessage>(list)
  const [local, setLocal] = useState(localOf(message.sendAt ?? ""))
  const submit = () => {
    const sendAt = isoOf(local)
    const onSuccess = () => {
      notify(fill(t.queued.rescheduled, { time: format.minutes(sendAt) }))
      onClose()
    }
    write.mutate({ method: "POST", path: `${path}/reschedule`, body: { sendAt } }, { onSuccess })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={fill(t.queued.rescheduleTitle, { number: message.phoneNumber })}
      description={t.queued.rescheduleText}
    >
      <Form error={write.error} fields={["sendAt"]} onSubmit={submit}>
        <TextField
          name="sendAt"
          label={t.queued.newTime}
          hint={`${t.queued.newTimeHint} (${format.zone})`}
          type="datetime-local"
          value={local}
          onChange={setLocal}
        />
        <FormButtons action={t.queued.reschedule} busy={write.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}
