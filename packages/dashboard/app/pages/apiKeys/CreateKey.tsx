import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { CreatedApiKey } from "../../api/types.ts"
import { apiKeys as english } from "../../i18n/en/apiKeys.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Dialog, FormButtons } from "../../ui/dialog.tsx"
import { ChecksField, Form, SelectField, TextField } from "../../ui/form.tsx"
import { isoOf } from "../../ui/localTime.ts"

interface Props {
  readonly onClose: () => void
  readonly onCreated: (key: CreatedApiKey) => void
}

const fields = ["name", "environment", "expiresAt", "scopes"]

export const CreateKey = ({ onClose, onCreated }: Props) => {
  const { format, t } = useTexts(english)
  const { api } = useOrganization()
  const [name, setName] = useState("")
  const [environment, setEnvironment] = useState("live")
  const [expires, setExpires] = useState("")
  const [scopes, setScopes] = useState<ReadonlyArray<string>>([])
  const write = useWrite<CreatedApiKey>(api("api-keys"))
  const submit = () => {
    const body = {
      name,
      environment,
      ...(expires === "" ? {} : { expiresAt: isoOf(expires) }),
      ...(scopes.length === 0 ? {} : { scopes }),
    }
    write.mutate({ method: "POST", path: api("api-keys"), body }, { onSuccess: onCreated })
  }
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t.apiKeys.createTitle}>
      <Form error={write.error} fields={fields} onSubmit={submit}>
        <TextField
          name="name"
          label={t.word.name}
          hint={t.apiKeys.nameHint}
          value={name}
          onChange={setName}
        />
        <SelectField
          name="environment"
          label={t.apiKeys.environment}
          hint={t.apiKeys.environmentHint}
          value={environment}
          onChange={setEnvironment}
          options={[
            { value: "live", label: t.apiKeys.live },
            { value: "test", label: t.apiKeys.test },
          ]}
        />
        <TextField
          name="expiresAt"
          label={t.apiKeys.expires}
          hint={`${t.apiKeys.expiresHint} (${format.zone})`}
          type="datetime-local"
          optional
          value={expires}
          onChange={setExpires}
        />
        <ChecksField
          name="scopes"
          label={t.apiKeys.scopes}
          hint={t.apiKeys.scopesHint}
          value={scopes}
          onChange={setScopes}
          options={Object.entries(t.scope).map(([value, label]) => ({ value, label }))}
        />
        <FormButtons action={t.apiKeys.create} busy={write.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}
