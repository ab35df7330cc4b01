import { Checkbox } from "@base-ui/react/checkbox"
import { CheckboxGroup } from "@base-ui/react/checkbox-group"
import { Field } from "@base-ui/react/field"
import { Fieldset } from "@base-ui/react/fieldset"
import type { ComponentProps } from "react"
import type { FieldProps, Option } from "./field.tsx"
import { Icon } from "./icons.tsx"

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
