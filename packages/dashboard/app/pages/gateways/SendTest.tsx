/** Sends a message over one gateway, even if it is paused. */
import { useState } from "react"
import { Link } from "wouter"
import { useWrite } from "../../api/client.ts"
import { fill } from "../../i18n/dictionary.ts"
import { activity as english } from "../../i18n/en/activity.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { readStored } from "../../stored.ts"
import { Dialog, DialogButtons, FormButtons } from "../../ui/dialog.tsx"
import { Button } from "../../ui/button.tsx"
import { Form, SelectField, TextField } from "../../ui/form.tsx"
import { typedNumber } from "../../ui/typedNumber.ts"

interface Props {
  readonly gateway: string
  readonly channels: ReadonlyArray<"sms" | "whatsapp">
  readonly onClose: () => void
}

const fields = ["organization", "phoneNumber", "channel", "text"]

export const SendTest = ({ channels, gateway, onClose }: Props) => {
  const { t } = useTexts(english)
  const [organization, setOrganization] = useState(readStored("organization") ?? "")
  const [phoneNumber, setPhoneNumber] = useState("")
  const [channel, setChannel] = useState<string>(channels[0] ?? "sms")
  const [text, setText] = useState("Test")
  const write = useWrite<{ readonly sequence: number }>("gateways")
  const { data } = write
  const owner = encodeURIComponent(organization)
  const submit = () =>
    write.mutate({
      method: "POST",
      path: `organizations/${owner}/gateways/${encodeURIComponent(gateway)}/test`,
      body: { phoneNumber: typedNumber(phoneNumber), channel, text },
    })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={fill(t.activity.testTitle, { gateway })}
      description={t.activity.testText}
    >
      {data === undefined ? (
        <Form error={write.error} fields={fields} onSubmit={submit}>
          <TextField
            name="organization"
            label={t.activity.organization}
            value={organization}
            onChange={setOrganization}
          />
          <TextField
            name="phoneNumber"
            label={t.word.phoneNumber}
            type="tel"
            inputMode="tel"
            placeholder="+880…"
            value={phoneNumber}
            onChange={setPhoneNumber}
          />
          {channels.length > 1 && (
            <SelectField
              name="channel"
              label={t.word.channel}
              value={channel}
              onChange={setChannel}
              options={channels.map((value) => ({ value, label: t.channel[value] }))}
            />
          )}
          <TextField name="text" label={t.messages.text} value={text} onChange={setText} />
          <FormButtons action={t.activity.testSend} busy={write.isPending} onClose={onClose} />
        </Form>
      ) : (
        <>
          <p role="status" className="outcome good">
            {t.activity.testDone}
          </p>
          <DialogButtons>
            <Link className="button" href={`/org/${owner}/messages/${data.sequence}`}>
              {t.activity.showMessage}
            </Link>
            <Button onClick={onClose}>{t.action.close}</Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  )
}
