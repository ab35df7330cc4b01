/** The parts of every field of a form: its label, its hint and its problem. */
import { Field } from "@base-ui/react/field"
import type { ReactNode } from "react"
import { useI18n } from "../i18n/i18n.tsx"

export interface Option {
  readonly value: string
  readonly label: string
}

export interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: ReactNode
  readonly optional?: boolean
}

export const FieldFrame = ({
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
