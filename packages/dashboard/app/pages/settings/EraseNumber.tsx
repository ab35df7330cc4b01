import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import { fill } from "../../i18n/dictionary.ts"
import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { latinDigits } from "../../i18n/limitWords.ts"
import { useOrganization } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { typedNumber } from "../../ui/typedNumber.ts"

interface Erased {
  readonly messages: number
  readonly verifications: number
  readonly reports: number
  readonly events: number
  readonly left: number
}

/** Erases what is stored of one phone number. The dialog asks for the last four digits. */
const EraseNumber = () => {
  const { format, t } = useTexts(english)
  const { api } = useOrganization()
  const [number, setNumber] = useState("")
  const [reason, setReason] = useState("")
  const phoneNumber = typedNumber(number)
  const [isAsking, setAsking] = useState(false)
  const [again, setAgain] = useState("")
  const ask = (asking: boolean) => {
    setAgain("")
    setAsking(asking)
  }
  const write = useWrite<Erased>(api("messages"), api("verifications"))
  const erase = () =>
    write.mutate(
      { method: "POST", path: api("erase"), body: { phoneNumber, reason } },
      { onSettled: () => ask(false) },
    )
  const counts = ({ events, messages, reports, verifications }: Erased) => ({
    messages: format.number(messages),
    verifications: format.number(verifications),
    reports: format.number(reports),
    events: format.number(events),
  })
  return (
    <Section
      title={t.settingsPage.eraseTitle}
      intro={`${t.settingsPage.eraseGoes} ${t.settingsPage.eraseStays}`}
    >
      <Form
        className="panel form"
        error={write.error}
        fields={["phoneNumber", "reason"]}
        onSubmit={() => ask(true)}
      >
        <div className="fields">
          <TextField
            name="phoneNumber"
            label={t.word.phoneNumber}
            type="tel"
            placeholder="+880…"
            value={number}
            onChange={setNumber}
          />
          <TextField
            name="reason"
            label={t.word.reason}
            hint={t.settings.reasonHint}
            value={reason}
            onChange={setReason}
          />
        </div>
        {write.data !== undefined && (
          <p role="status" className="notice">
            {t.settings.eraseDone}: {fill(t.settings.erasedCounts, counts(write.data))}.{" "}
            {write.data.left > 0 &&
              fill(t.settings.eraseLeft, { left: format.number(write.data.left) })}
          </p>
        )}
        <div className="dialog-buttons">
          <Button type="submit" variant="danger">
            {t.settings.erase}
          </Button>
        </div>
      </Form>
      <Confirm
        open={isAsking}
        title={fill(t.settings.eraseTitle, { number: phoneNumber })}
        text={t.settings.eraseText}
        action={t.settings.erase}
        busy={write.isPending}
        disabled={phoneNumber !== "" && latinDigits(again).trim() !== phoneNumber.slice(-4)}
        onClose={() => ask(false)}
        onConfirm={erase}
      >
        {phoneNumber !== "" && (
          <TextField
            name="again"
            label={t.settingsPage.lastFour}
            inputMode="numeric"
            maxLength={4}
            value={again}
            onChange={setAgain}
          />
        )}
      </Confirm>
    </Section>
  )
}

export default EraseNumber
