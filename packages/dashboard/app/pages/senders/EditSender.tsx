import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { Sender } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { senders as english } from "../../i18n/en/senders.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Dialog, FormButtons } from "../../ui/dialog.tsx"
import { CheckField, Form, SelectField, TextField } from "../../ui/form.tsx"
import { useNotify } from "../../ui/toasts.tsx"

export const useKindNames = (): Readonly<Record<Sender["kind"], string>> => {
  const { t } = useTexts(english)
  return {
    masking: t.senders.masking,
    "non-masking": t.senders.nonMasking,
    whatsapp: t.senders.whatsapp,
  }
}

interface Props {
  /** @defaultValue a new sender */
  readonly brand: Sender | undefined
  /** The senders of the organization. */
  readonly brands: ReadonlyArray<Sender>
  readonly onClose: () => void
}

const fields = ["kind", "sender", "status", "isDefault"]

const EditFields = ({ brand, brands, onClose }: Props) => {
  const { t } = useTexts(english)
  const { isOperator } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const kinds = useKindNames()
  const [kind, setKind] = useState<string>(brand?.kind ?? "masking")
  const [sender, setSender] = useState(brand?.sender ?? "")
  const [status, setStatus] = useState<string>(brand?.status ?? "approved")
  const [isChosen, setDefault] = useState(brand?.isDefault ?? false)
  // Carriers bind a name to its brand, so the service takes none as the default.
  const canBeDefault = kind !== "masking"
  const isDefault = canBeDefault && isChosen
  const write = useWrite(api("brands"))
  // A sender that a tenant saves waits for approval, and a channel has one default.
  const isReady = isOperator && status === "approved"
  const displaced =
    isDefault && !isReady
      ? brands.find(
          (one) =>
            one.isDefault &&
            one.status === "approved" &&
            (one.kind === "whatsapp") === (kind === "whatsapp"),
        )
      : undefined
  const submit = () => {
    const { class: messageClass = null, reason = null } = brand ?? {}
    const body = {
      kind,
      sender,
      isDefault,
      class: messageClass,
      ...(isOperator ? { status, reason } : {}),
    }
    const onSuccess = () => {
      notify(t.senders.saved)
      onClose()
    }
    const target =
      brand === undefined
        ? { method: "POST" as const, path: api("brands") }
        : { method: "PUT" as const, path: api(`brands/${encodeURIComponent(brand.id)}`) }
    write.mutate({ ...target, body }, { onSuccess })
  }
  return (
    <Form error={write.error} fields={fields} onSubmit={submit}>
      <SelectField
        name="kind"
        label={t.senders.kind}
        value={kind}
        onChange={setKind}
        options={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
      />
      <TextField
        name="sender"
        label={t.senders.sender}
        hint={t.senders.senderHint}
        value={sender}
        onChange={setSender}
      />
      {isOperator && (
        <SelectField
          name="status"
          label={t.word.status}
          value={status}
          onChange={setStatus}
          options={(["pending", "approved", "rejected"] as const).map((value) => ({
            value,
            label: t.brandStatus[value],
          }))}
        />
      )}
      {canBeDefault && (
        <CheckField
          name="isDefault"
          label={t.senders.makeDefault}
          checked={isDefault}
          onChange={setDefault}
        />
      )}
      {displaced !== undefined && (
        <p role="status" className="notice warn">
          {fill(t.senders.displaces, { sender: displaced.sender })}
        </p>
      )}
      <FormButtons action={t.action.save} busy={write.isPending} onClose={onClose} />
    </Form>
  )
}

export const EditSender = ({ brand, brands, onClose }: Props) => {
  const { t } = useTexts(english)
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={brand === undefined ? t.senders.addTitle : t.senders.editTitle}
    >
      <EditFields brand={brand} brands={brands} onClose={onClose} />
    </Dialog>
  )
}
