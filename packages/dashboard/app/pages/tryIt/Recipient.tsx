import { useId } from "react"
import { useRead } from "../../api/client.ts"
import type { SenderList } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { SelectField, TextField } from "../../ui/form.tsx"

export interface Recipient {
  readonly phoneNumber: string
  readonly channel: string
  readonly sender: string
}

interface Props {
  readonly value: Recipient
  readonly onChange: (value: Recipient) => void
}

/** What a message and a code have in common. */
export const RecipientFields = ({ onChange, value }: Props) => {
  const { t } = useI18n()
  const { host } = useSession()
  const { api } = useOrganization()
  const numbers = useId()
  const brands = useRead<SenderList>(api("brands?limit=1000")).data?.brands ?? []
  const usable = brands.filter(
    ({ kind, status }) =>
      status === "approved" && (kind === "whatsapp") === (value.channel === "whatsapp"),
  )
  return (
    <>
      <TextField
        name="phoneNumber"
        label={t.word.phoneNumber}
        type="tel"
        placeholder="+880…"
        list={numbers}
        value={value.phoneNumber}
        onChange={(phoneNumber) => onChange({ ...value, phoneNumber })}
      />
      <datalist id={numbers}>
        {host.testNumbers.map(({ outcome, phoneNumber }) => (
          <option key={phoneNumber} value={phoneNumber} label={outcome} />
        ))}
      </datalist>
      <SelectField
        name="channel"
        label={t.word.channel}
        value={value.channel}
        onChange={(channel) => onChange({ ...value, channel, sender: "" })}
        options={host.channels.map((channel) => ({ value: channel, label: t.channel[channel] }))}
      />
      <SelectField
        name="sender"
        label={t.tryIt.sender}
        value={value.sender}
        onChange={(sender) => onChange({ ...value, sender })}
        options={[
          { value: "", label: t.tryIt.senderDefault },
          ...usable.map(({ id, sender }) => ({ value: id, label: sender })),
        ]}
      />
    </>
  )
}
