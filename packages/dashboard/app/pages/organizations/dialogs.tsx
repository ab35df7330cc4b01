/** The actions on organizations in their list. */
import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { Organization, OrganizationSummary } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { organizations as english } from "../../i18n/en/organizations.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { Confirm, Dialog, FormButtons } from "../../ui/dialog.tsx"
import { Form, TextField } from "../../ui/textForm.tsx"
import { useNotify } from "../../ui/toasts.tsx"

type Action = "suspend" | "resume"

export const Act = ({
  onClose,
  organization,
}: {
  readonly organization: OrganizationSummary
  readonly onClose: () => void
}) => {
  const { t } = useTexts(english)
  const write = useWrite<Organization>("organizations")
  const action: Action = organization.isSuspended ? "resume" : "suspend"
  const isSuspend = action === "suspend"
  const path = `organizations/${encodeURIComponent(organization.id)}/${action}`
  return (
    <Confirm
      open
      danger={isSuspend}
      title={fill(isSuspend ? t.organizations.suspendTitle : t.organizations.resumeTitle, {
        name: organization.name,
      })}
      text={isSuspend ? t.organizations.suspendText : t.organizations.resumeText}
      action={t.organizations[action]}
      busy={write.isPending}
      error={write.error}
      onClose={onClose}
      onConfirm={() => write.mutate({ method: "POST", path }, { onSuccess: onClose })}
    />
  )
}

export const Create = ({ onClose }: { readonly onClose: () => void }) => {
  const { t } = useTexts(english)
  const notify = useNotify()
  const [id, setId] = useState("")
  const [name, setName] = useState("")
  const [sms, setSms] = useState("")
  const [whatsapp, setWhatsapp] = useState("")
  const write = useWrite<Organization>("organizations")
  const submit = () => {
    const senders = { ...(sms !== "" && { sms }), ...(whatsapp !== "" && { whatsapp }) }
    const body = { id, ...(name !== "" && { name }), senders }
    const onSuccess = () => {
      notify(t.organizations.created)
      onClose()
    }
    write.mutate({ method: "POST", path: "organizations", body }, { onSuccess })
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t.organizations.create}>
      <Form error={write.error} fields={["id", "name", "senders"]} onSubmit={submit}>
        <TextField
          name="id"
          label={t.organizations.id}
          hint={t.organizations.idHint}
          value={id}
          onChange={setId}
          mono
        />
        <TextField
          name="name"
          label={t.word.name}
          hint={t.organizations.nameHint}
          optional
          value={name}
          onChange={setName}
        />
        <TextField
          name="senders"
          label={t.organizations.smsSender}
          hint={t.organizations.smsSenderHint}
          optional
          value={sms}
          onChange={setSms}
        />
        <TextField
          name="whatsapp"
          label={t.organizations.whatsappSender}
          hint={t.organizations.whatsappSenderHint}
          optional
          value={whatsapp}
          onChange={setWhatsapp}
        />
        <FormButtons action={t.organizations.create} busy={write.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}
