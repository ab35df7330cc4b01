/** Forms: the problems that the service finds are shown at their fields. */
import { Checkbox } from "@base-ui/react/checkbox"
import { CheckboxGroup } from "@base-ui/react/checkbox-group"
import { Field } from "@base-ui/react/field"
import { Fieldset } from "@base-ui/react/fieldset"
import { Form as Base } from "@base-ui/react/form"
import { Select as BaseSelect } from "@base-ui/react/select"
import { type ComponentProps, type ReactNode, useMemo, useState } from "react"
import { flushSync } from "react-dom"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { Icon } from "./icons.tsx"
import { fieldErrors, Problem } from "./problem.tsx"

interface FormProps {
  readonly error: Error | null
  /** The names of the fields, as the service calls them. */
  readonly fields: ReadonlyArray<string>
  readonly onSubmit: () => void
  readonly children: ReactNode
  readonly className?: string
  /** The reader may not change anything: the fields show their values only. */
  readonly disabled?: boolean
}

export const Form = ({ children, className, disabled, error, fields, onSubmit }: FormProps) => {
  const { format, t } = useI18n()
  const [sentAfter, setSentAfter] = useState<Error | null>(null)
  // The same object for the same error: a field that is edited loses its problem until the next answer.
  const errors = useMemo(
    () => (error === sentAfter ? {} : fieldErrors(error, { t, format })),
    [error, format, sentAfter, t],
  )
  // A form with a problem is not submitted, but another field may have been the one to correct.
  const forget = () => flushSync(() => setSentAfter(error))
  return (
    <Base
      className={className ?? "form"}
      errors={errors}
      onSubmitCapture={forget}
      onFormSubmit={onSubmit}
      noValidate
    >
      <Problem error={error} fields={fields} />
      {disabled === true ? (
        <fieldset disabled className="form plain">
          {children}
        </fieldset>
      ) : (
        children
      )}
    </Base>
  )
}

/** The button of a form that is a part of a page. */
export const SaveButton = ({ busy }: { readonly busy: boolean }) => {
  const { t } = useI18n()
  return (
    <div className="dialog-buttons">
      <Button type="submit" variant="primary" busy={busy}>
        {t.action.save}
      </Button>
    </div>
  )
}

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: ReactNode
  readonly optional?: boolean
}

const FieldFrame = ({
  children,
  hint,
  label,
  name,
  optional,
}: FieldProps & { readonly children: ReactNode }) => {
  const { t } = useI18n()
  return (
    <Field.Root name={name} className="field">
      <div className="field-label">
        <Field.Label>{label}</Field.Label>
        {optional === true && <span className="muted"> {t.word.optional}</span>}
      </div>
      {children}
      {hint !== undefined && <Field.Description className="hint">{hint}</Field.Description>}
      <Field.Error className="field-error" />
    </Field.Root>
  )
}

interface TextFieldProps extends FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: ComponentProps<"input">["type"]
  readonly rows?: number
  readonly placeholder?: string
  readonly maxLength?: number
  readonly inputMode?: ComponentProps<"input">["inputMode"]
  readonly autoComplete?: string
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly list?: string
  readonly mono?: boolean
}

export const TextField = ({
  hint,
  label,
  mono,
  name,
  onChange,
  optional,
  rows,
  ...rest
}: TextFieldProps) => (
  <FieldFrame {...{ name, label, hint, ...(optional === undefined ? {} : { optional }) }}>
    <Field.Control
      className={`input${mono === true ? " mono" : ""}`}
      autoComplete="off"
      onValueChange={onChange}
      {...(rows === undefined ? {} : { render: <textarea rows={rows} /> })}
      {...rest}
    />
  </FieldFrame>
)

export interface Option {
  readonly value: string
  readonly label: string
}

interface SelectFieldProps extends FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: ReadonlyArray<Option>
}

const Listbox = ({ options }: { readonly options: ReadonlyArray<Option> }) => (
  <BaseSelect.Portal>
    <BaseSelect.Positioner className="positioner" sideOffset={4} alignItemWithTrigger={false}>
      <BaseSelect.Popup className="popup">
        <BaseSelect.List className="popup-list">
          {options.map(({ label, value }) => (
            <BaseSelect.Item key={value} value={value} className="popup-item">
              <BaseSelect.ItemIndicator className="popup-mark">
                <Icon name="check" />
              </BaseSelect.ItemIndicator>
              <BaseSelect.ItemText className="popup-text">{label}</BaseSelect.ItemText>
            </BaseSelect.Item>
          ))}
        </BaseSelect.List>
      </BaseSelect.Popup>
    </BaseSelect.Positioner>
  </BaseSelect.Portal>
)

/** One of a few options. */
export const SelectField = ({
  hint,
  label,
  name,
  onChange,
  optional,
  options,
  value,
}: SelectFieldProps) => (
  <FieldFrame {...{ name, label, hint, ...(optional === undefined ? {} : { optional }) }}>
    <BaseSelect.Root
      items={[...options]}
      value={value}
      onValueChange={(next) => onChange(next ?? "")}
    >
      <BaseSelect.Trigger className="input select">
        <BaseSelect.Value />
        <BaseSelect.Icon>
          <Icon name="chevron" />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <Listbox options={options} />
    </BaseSelect.Root>
  </FieldFrame>
)

interface CheckFieldProps extends FieldProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

const CheckBox = (props: ComponentProps<typeof Checkbox.Root>) => (
  <Checkbox.Root className="checkbox" {...props}>
    <Checkbox.Indicator className="checkbox-mark">
      <Icon name="check" />
    </Checkbox.Indicator>
  </Checkbox.Root>
)

export const CheckField = ({ checked, hint, label, name, onChange }: CheckFieldProps) => (
  <Field.Root name={name} className="field">
    <Field.Label className="check">
      <CheckBox checked={checked} onCheckedChange={onChange} />
      {label}
    </Field.Label>
    {hint !== undefined && <Field.Description className="hint">{hint}</Field.Description>}
    <Field.Error className="field-error" />
  </Field.Root>
)

interface ChecksFieldProps extends FieldProps {
  readonly value: ReadonlyArray<string>
  readonly onChange: (value: ReadonlyArray<string>) => void
  readonly options: ReadonlyArray<Option>
}

/** Any of a few options. */
export const ChecksField = ({ hint, label, name, onChange, options, value }: ChecksFieldProps) => (
  <Field.Root name={name} className="field">
    <Fieldset.Root
      render={<CheckboxGroup value={[...value]} onValueChange={(next) => onChange(next)} />}
      className="checks"
    >
      <Fieldset.Legend className="field-label">{label}</Fieldset.Legend>
      {hint !== undefined && <Field.Description className="hint">{hint}</Field.Description>}
      <div className="checks-list">
        {options.map((option) => (
          <Field.Item key={option.value}>
            <Field.Label className="check">
              <CheckBox value={option.value} />
              {option.label}
            </Field.Label>
          </Field.Item>
        ))}
      </div>
    </Fieldset.Root>
    <Field.Error className="field-error" />
  </Field.Root>
)
