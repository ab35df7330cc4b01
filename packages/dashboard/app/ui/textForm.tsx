/** Forms: the problems that the service finds are shown at their fields. */
import { Field } from "@base-ui/react/field"
import { Form as Base } from "@base-ui/react/form"
import { type ComponentProps, type ReactNode, useMemo, useState } from "react"
import { flushSync } from "react-dom"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { FieldFrame, type FieldProps } from "./field.tsx"
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
