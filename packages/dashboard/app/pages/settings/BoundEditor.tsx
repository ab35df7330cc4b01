import { useState } from "react"
import { type ApiError, useWrite } from "../../api/client.ts"
import type { AlertList } from "../../api/types.ts"
import type { alertKinds } from "../../generated/alerts.ts"
import { fill } from "../../i18n/dictionary.ts"
import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { latinDigits } from "../../i18n/limitWords.ts"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField, Form, TextField } from "../../ui/form.tsx"
import { useNotify } from "../../ui/toasts.tsx"
import { noNumber } from "./noNumber.ts"

export type Kind = (typeof alertKinds)[AlertList["alerts"][number]["alert"]]

interface EditorProps {
  /** The name of the field, as the service has it. */
  readonly field: string
  readonly kind: Kind
  readonly bound: string | null
  readonly bodyOf: (bound: string | null) => object
  readonly onClose: () => void
}

/** Switches an alert on and off, and sets its bound. */
export const BoundEditor = ({ bodyOf, bound, field, kind, onClose }: EditorProps) => {
  const { t } = useTexts(english)
  const { host } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [isOn, setOn] = useState(true)
  const [text, setText] = useState(bound ?? "")
  const write = useWrite(api(""))
  const label = fill(t.settingsPage.bound[kind], { currency: host.currency })
  const [invalid, setInvalid] = useState<ApiError | null>(null)
  const submit = () => {
    const typed = isOn ? latinDigits(text).trim() : null
    const isNumber = typed === null || kind === "money" || /^\d+$/.test(typed)
    setInvalid(isNumber ? null : noNumber(field))
    if (!isNumber) return
    write.mutate(
      { method: "PATCH", path: api(""), body: bodyOf(typed) },
      {
        onSuccess: () => {
          notify(t.settings.saved)
          onClose()
        },
      },
    )
  }
  return (
    <Form
      className="form setting-editor"
      error={invalid ?? write.error}
      fields={[field]}
      onSubmit={submit}
    >
      <CheckField name="on" label={t.settingsPage.on} checked={isOn} onChange={setOn} />
      {isOn && (
        <div className="window-fields">
          <TextField
            name={field}
            label={label}
            inputMode={kind === "money" ? "decimal" : "numeric"}
            value={text}
            onChange={setText}
          />
        </div>
      )}
      <div className="dialog-buttons">
        <Button onClick={onClose}>{t.action.cancel}</Button>
        <Button type="submit" variant="primary" busy={write.isPending}>
          {t.action.save}
        </Button>
      </div>
    </Form>
  )
}
