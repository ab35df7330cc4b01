import { Field } from "@base-ui/react/field"

interface Props {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly accept: string
  readonly onChange: (file: File | undefined) => void
}

export const FileField = ({ accept, hint, label, name, onChange }: Props) => (
  <Field.Root name={name} className="field">
    <Field.Label className="field-label">{label}</Field.Label>
    <Field.Control
      className="input"
      type="file"
      accept={accept}
      onChange={({ currentTarget }) => onChange(currentTarget.files?.[0])}
    />
    <Field.Description className="hint">{hint}</Field.Description>
    <Field.Error className="field-error" />
  </Field.Root>
)
