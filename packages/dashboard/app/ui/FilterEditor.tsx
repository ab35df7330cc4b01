/** Edits the values of one filter. A choice applies at once, a text when it is sent. */
import { useEffect, useRef, useState } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { ChecksField } from "./checks.tsx"
import type { Filter } from "./filterWords.ts"
import { Form, TextField } from "./textForm.tsx"
import { isoOf, localOf } from "./localTime.ts"

interface Props {
  readonly filter: Filter
  readonly values: ReadonlyArray<string>
  readonly onChange: (values: ReadonlyArray<string>) => void
  readonly onDone: () => void
}

const Fields = ({ filter, onChange, onDone, values }: Props) => {
  const { format, locale, t } = useI18n()
  const { kind, label, name, options = [] } = filter
  const [first = ""] = values
  const [text, setText] = useState(first)
  if (kind === "select")
    return <ChecksField {...{ name, label, options, onChange }} value={values} />
  if (kind === "time")
    return (
      <TextField
        name={name}
        label={`${label} (${format.zone})`}
        type="datetime-local"
        // The browser shows the field in its own language.
        {...(locale === "bn" && first !== "" ? { hint: format.minutes(first) } : {})}
        value={localOf(first)}
        onChange={(local) => onChange(local === "" ? [] : [isoOf(local)])}
      />
    )
  const apply = (value: string) => {
    onChange([value])
    onDone()
  }
  return (
    <>
      <Form error={null} fields={[name]} onSubmit={() => apply(text)}>
        <TextField name={name} label={label} value={text} onChange={setText} />
        <Button type="submit" variant="primary">
          {t.action.apply}
        </Button>
      </Form>
      {options.length > 0 && (
        <ul className="popup-list" aria-label={label}>
          {options.map((option) => (
            <li key={option.value}>
              <button type="button" className="popup-item" onClick={() => apply(option.value)}>
                <span className="popup-text">{option.label}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Takes the focus: it stands where the choice of the filter was. */
const FilterEditor = (props: Props) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const field = place.current?.querySelector(":is(input:not([aria-hidden]), [role=checkbox])")
    if (field instanceof HTMLElement) field.focus()
  }, [])
  return (
    <div ref={place}>
      <Fields {...props} />
    </div>
  )
}

export default FilterEditor
