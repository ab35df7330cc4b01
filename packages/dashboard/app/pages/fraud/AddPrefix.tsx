import { useState } from "react"
import { useRead, useWrite } from "../../api/client.ts"
import type { Organization } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { fraud as english } from "../../i18n/en/fraud.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { latinDigits } from "../../i18n/limitWords.ts"
import { useOrganization, useSession } from "../../session.tsx"
import { Dialog, FormButtons } from "../../ui/dialog.tsx"
import { Form, SelectField, TextField } from "../../ui/form.tsx"
import { useNotify } from "../../ui/toasts.tsx"
import { type List, withPrefix } from "./lists.ts"

interface Props {
  /** The prefix to block. @defaultValue the reader enters one */
  readonly prefix?: string
  /** The suggested reason, which the reader may change. */
  readonly reason?: string
  readonly onClose: () => void
}

interface FieldsProps extends Props {
  readonly organization: Organization
}

const Fields = ({ onClose, organization, prefix: given, reason: before = "" }: FieldsProps) => {
  const { t } = useTexts(english)
  const { isOperator } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [typed, setTyped] = useState("")
  const [list, setList] = useState<List>("blockedPrefixes")
  const [reason, setReason] = useState(before)
  const write = useWrite(api(""))
  const prefix = given ?? latinDigits(typed).trim().replace(/^\+/, "")
  const isBlock = list === "blockedPrefixes"
  const submit = () =>
    write.mutate(
      {
        method: "PATCH",
        path: api(""),
        body: withPrefix(organization, list, prefix, reason.trim()),
      },
      {
        onSuccess: () => {
          notify(fill(isBlock ? t.fraud.blockDone : t.fraud.allowDone, { prefix }))
          onClose()
        },
      },
    )
  return (
    <Form error={write.error} fields={[list, `prefixReasons.${prefix}`]} onSubmit={submit}>
      {given === undefined && (
        <TextField
          name={list}
          label={t.fraud.newPrefix}
          inputMode="numeric"
          placeholder="88017"
          value={typed}
          onChange={setTyped}
        />
      )}
      {given === undefined && isOperator && (
        <SelectField
          name="list"
          label={t.fraud.effect}
          options={[
            { value: "blockedPrefixes", label: t.fraud.isBlocked },
            { value: "allowedPrefixes", label: t.fraud.isAllowed },
          ]}
          value={list}
          onChange={(next) =>
            setList(next === "allowedPrefixes" ? "allowedPrefixes" : "blockedPrefixes")
          }
        />
      )}
      <TextField
        name={`prefixReasons.${prefix}`}
        label={t.fraud.why}
        hint={t.fraud.whyHint}
        optional
        maxLength={200}
        value={reason}
        onChange={setReason}
      />
      <FormButtons
        action={isBlock ? t.fraud.block : t.fraud.allow}
        variant={isBlock ? "danger" : "primary"}
        busy={write.isPending}
        onClose={onClose}
      />
    </Form>
  )
}

/** Blocks a prefix, or takes it out of the fraud rules, for a reason. */
export const AddPrefix = (props: Props) => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  const organization = useRead<Organization>(api("")).data
  const { onClose, prefix } = props
  if (organization === undefined) return null
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={prefix === undefined ? t.fraud.addTitle : fill(t.fraud.blockTitle, { prefix })}
      {...(prefix !== undefined && { description: t.fraud.blockText })}
    >
      <Fields {...props} organization={organization} />
    </Dialog>
  )
}
