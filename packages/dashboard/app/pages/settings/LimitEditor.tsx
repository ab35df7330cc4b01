import { type ReactNode, useMemo, useState } from "react"
import { ApiError, useWrite } from "../../api/client.ts"
import { limitFields } from "../../generated/limitFields.ts"
import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField, Form, SelectField, TextField } from "../../ui/form.tsx"
import { byLimit } from "../../ui/refusals.ts"
import { useNotify } from "../../ui/toasts.tsx"
import {
  type Draft,
  draftOf,
  emptyWindow,
  type Length,
  type LimitName,
  type Limits,
  maxWindows,
  notNumber,
  units,
  valueOf,
} from "./limitDraft.ts"
import { noNumber } from "./noNumber.ts"

/** The problems of the limit, at its first field. */
const atLimit = (error: Error | null): Error | null =>
  error instanceof ApiError
    ? new ApiError(error.status, { code: error.code, problems: byLimit(error.problems) })
    : error

interface LengthFieldProps {
  readonly name: string
  readonly label: string
  readonly value: Length
  readonly onChange: (value: Length) => void
}

const isUnit = (text: string): text is Length["unit"] => units.some((one) => one === text)

const LengthField = ({ label, name, onChange, value }: LengthFieldProps) => {
  const { t } = useTexts(english)
  return (
    <div className="length-field">
      <TextField
        name={name}
        label={label}
        inputMode="numeric"
        value={value.count}
        onChange={(count) => onChange({ ...value, count })}
      />
      <SelectField
        name={`${name}.unit`}
        label={t.settingsPage.unit}
        options={units.map((unit) => ({ value: unit, label: t.settingsPage.units[unit] }))}
        value={value.unit}
        onChange={(unit) => isUnit(unit) && onChange({ ...value, unit })}
      />
    </div>
  )
}

interface FieldsProps {
  readonly name: LimitName
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}

const WindowFields = ({ draft, name, onChange }: FieldsProps) => {
  const { t } = useTexts(english)
  const { windows } = draft
  const set = (index: number, change: Partial<Draft["windows"][number]>) =>
    onChange({
      ...draft,
      windows: windows.map((one, at) => (at === index ? { ...one, ...change } : one)),
    })
  return (
    <>
      {windows.map(({ max, per }, index) => (
        // Windows have no identity but their place.
        <div key={index} className="window-fields">
          <TextField
            name={index === 0 ? name : `${name}.${index}`}
            label={t.settingsPage.atMost}
            inputMode="numeric"
            value={max}
            onChange={(next) => set(index, { max: next })}
          />
          <LengthField
            name={`${name}.${index}.per`}
            label={t.settingsPage.within}
            value={per}
            onChange={(next) => set(index, { per: next })}
          />
          {windows.length > 1 && (
            <Button
              className="small"
              onClick={() =>
                onChange({ ...draft, windows: windows.filter((_, at) => at !== index) })
              }
            >
              {t.settingsPage.remove}
            </Button>
          )}
        </div>
      ))}
      {windows.length < maxWindows && (
        <div>
          <Button
            className="small"
            onClick={() => onChange({ ...draft, windows: [...windows, emptyWindow] })}
          >
            {t.settingsPage.addWindow}
          </Button>
        </div>
      )}
    </>
  )
}

const PlainFields = ({ draft, name, onChange }: FieldsProps): ReactNode => {
  const { t } = useTexts(english)
  const { host } = useSession()
  const { kind } = limitFields[name]
  const labels: Readonly<Record<string, string>> = {
    ...t.settingsPage.parts,
    value: kind === "money" ? `${t.settingsPage.atMost} (${host.currency})` : t.settingsPage.atMost,
  }
  const labelOf = (part: string) => labels[part] ?? part
  const inputMode = kind === "money" ? "decimal" : "numeric"
  return (
    <div className="window-fields">
      {Object.entries(draft.numbers).map(([part, text], index) => (
        <TextField
          key={part}
          name={index === 0 ? name : `${name}.${part}`}
          label={labelOf(part)}
          inputMode={inputMode}
          value={text}
          onChange={(next) => onChange({ ...draft, numbers: { ...draft.numbers, [part]: next } })}
        />
      ))}
      {Object.entries(draft.lengths).map(([part, length], index) => (
        <LengthField
          key={part}
          name={index === 0 ? name : `${name}.${part}`}
          label={kind === "duration" ? t.settingsPage.length : labelOf(part)}
          value={length}
          onChange={(next) => onChange({ ...draft, lengths: { ...draft.lengths, [part]: next } })}
        />
      ))}
    </div>
  )
}

interface Props {
  readonly name: LimitName
  /** The limit in force. */
  readonly value: Limits[LimitName]
  readonly onClose: () => void
}

/** Changes one limit, and saves it alone. */
export const LimitEditor = ({ name, onClose, value }: Props) => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  const notify = useNotify()
  const { canBeNone, kind } = limitFields[name]
  const [draft, setDraft] = useState(() => {
    const first = draftOf(kind, value)
    // A limit that is not set begins with an empty field.
    return first.isNone && kind !== "window" ? { ...first, numbers: { value: "" } } : first
  })
  const [invalid, setInvalid] = useState<ApiError | null>(null)
  const write = useWrite(api(""))
  const refused = useMemo(() => atLimit(write.error), [write.error])
  const submit = () => {
    const next = valueOf(kind, draft)
    setInvalid(next === notNumber ? noNumber(name) : null)
    if (next === notNumber) return
    write.mutate(
      { method: "PATCH", path: api(""), body: { limits: { [name]: next } } },
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
      error={invalid ?? refused}
      fields={[name]}
      onSubmit={submit}
    >
      {canBeNone && (
        <CheckField
          name={`${name}.none`}
          label={t.settingsPage.noLimit}
          checked={draft.isNone}
          onChange={(isNone) => setDraft({ ...draft, isNone })}
        />
      )}
      {!draft.isNone &&
        (kind === "window" ? (
          <WindowFields name={name} draft={draft} onChange={setDraft} />
        ) : (
          <PlainFields name={name} draft={draft} onChange={setDraft} />
        ))}
      <div className="dialog-buttons">
        <Button onClick={onClose}>{t.action.cancel}</Button>
        <Button type="submit" variant="primary" busy={write.isPending}>
          {t.action.save}
        </Button>
      </div>
    </Form>
  )
}
