import { useState } from "react"
import { withQuery } from "../../api/client.ts"
import { below } from "../../base.ts"
import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { typedNumber } from "../../ui/typedNumber.ts"

/** Downloads what is stored of one phone number. */
export const ExportNumber = () => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  const [number, setNumber] = useState("")
  const phoneNumber = typedNumber(number)
  const href = below(`api/${withQuery(api("export"), { phoneNumber })}`)
  return (
    <Section title={t.settingsPage.exportTitle} intro={t.settingsPage.exportIntro}>
      <Form
        className="panel form"
        error={null}
        fields={[]}
        onSubmit={() => phoneNumber !== "" && location.assign(href)}
      >
        <div className="fields">
          <TextField
            name="exported"
            label={t.word.phoneNumber}
            type="tel"
            placeholder="+880…"
            value={number}
            onChange={setNumber}
          />
        </div>
        {phoneNumber !== "" && (
          <div className="dialog-buttons">
            <a className="button" download href={href}>
              {t.settings.export}
            </a>
          </div>
        )}
      </Form>
    </Section>
  )
}
