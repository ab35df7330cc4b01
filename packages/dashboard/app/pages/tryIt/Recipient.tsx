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

interface SenderProps extends Pick<Recipient, "channel" | "sender"> {
  readonly onChange: (value: Pick<Recipient, "channel" | "sender">) => void
}

/** The channel of messages, and one of its senders. */
export const SenderFields = ({ channel, onChange, sender }: SenderProps) => {
  const { t } = useI18n()
  const { host } = useSession()
  const { api } = useOrganization()
  const brands = useRead<SenderList>(api("brands?limit=1000")).data?.brands ?? []
  const usable = brands.filter(
    ({ kind, status }) =>
      status === "approved" && (kind === "whatsapp") === (channel === "whatsapp"),
  )
  return (
    <>
      <SelectField
        name="channel"
        label={t.word.channel}
        value={channel}
        onChange={(next) => onChange({ channel: next, sender: "" })}
        options={host.channels.map((value) => ({ value, label: t.channel[value] }))}
      />
      <SelectField
        name="sender"
        label={t.tryIt.sender}
        value={sender}
        onChange={(next) => onChange({ channel, sender: next })}
        options={[
          { value: "", label: t.tryIt.senderDefault },
          ...usable.map(({ id, sender: label }) => ({ value: id, label })),
        ]}
      />
    </>
  )
}

interface Props {
  readonly value: Recipient
  readonly onChange: (value: Recipient) => void
}

/** The fields that the forms of a message and a code share. */
export const RecipientFields = ({ onChange, value }: Props) => {
  const { t } = useI18n()
  const { host } = useSession()
  const numbers = useId()
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
      <SenderFields
        channel={value.channel}
        sender={value.sender}
        onChange={(next) => onChange({ ...value, ...next })}
      />
    </>
  )
}
