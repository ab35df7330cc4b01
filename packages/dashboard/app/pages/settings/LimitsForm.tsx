import { useMemo, useState } from "react"
import { ApiError, useWrite } from "../../api/client.ts"
import type { Organization } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { shownLimit, typedLimit } from "../../i18n/limitWords.ts"
import { useOrganization, useSession } from "../../session.tsx"
import { byLimit } from "../../ui/refusals.ts"
import { Form, TextField, SaveButton } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { useNotify } from "../../ui/toasts.tsx"
import { changesOf, fields, numbers, type Texts, texts, textsOf, windows } from "./limits.ts"

/** Fields that this page cannot read, refused as the service refuses what is no limit. */
const unreadable = (invalid: ReturnType<typeof changesOf>["invalid"]): ApiError | null =>
  invalid.length === 0
    ? null
    : new ApiError(422, {
        problems: Object.fromEntries(
          invalid.map(([name, code]) => [name, [{ code, params: {}, message: code }]]),
        ),
      })

const atLimits = (error: Error | null): Error | null =>
  error instanceof ApiError
    ? new ApiError(error.status, { code: error.code, problems: byLimit(error.problems) })
    : error

export const LimitsForm = ({ organization }: { readonly organization: Organization }) => {
  const { locale, t } = useI18n()
  const { has, host, isOperator } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const canChange = isOperator && has("admin")
  const before = textsOf(organization.limits)
  const defaults = textsOf(host.limits)
  const [edited, setEdited] = useState<Texts>({})
  const [invalid, setInvalid] = useState<ApiError | null>(null)
  const write = useWrite(api(""))
  const refused = useMemo(() => atLimits(write.error), [write.error])
  const submit = () => {
    const typed = Object.entries(edited).map(([name, text]) => [name, typedLimit(text)])
    const after = { ...before, ...Object.fromEntries(typed) }
    const { invalid: refusedFields, ...body } = changesOf(before, after)
    setInvalid(unreadable(refusedFields))
    if (refusedFields.length > 0) return
    write.mutate(
      { method: "PATCH", path: api(""), body },
      {
        onSuccess: () => {
          setEdited({})
          notify(t.settings.saved)
        },
      },
    )
  }
  const field = (name: keyof Texts & keyof typeof t.settings) => (
    <TextField
      key={name}
      name={name}
      label={t.settings[name]}
      readOnly={!canChange}
      placeholder={shownLimit(defaults[name] ?? "", locale)}
      value={edited[name] ?? shownLimit(before[name] ?? "", locale)}
      onChange={(value) => setEdited((all) => ({ ...all, [name]: value }))}
    />
  )
  return (
    <Section
      title={t.settings.limits}
      intro={`${t.settings.limitsIntro} ${canChange ? t.settings.windowHint : t.settings.limitsOperator}`}
    >
      <Form
        className="panel form"
        error={invalid ?? refused}
        fields={fields}
        disabled={!has("admin")}
        onSubmit={submit}
      >
        <div className="fields">
          {windows.map((name) => field(name))}
          {numbers.map((name) => field(name))}
          {texts.map((name) => field(name))}
        </div>
        {canChange && <SaveButton busy={write.isPending} />}
      </Form>
    </Section>
  )
}
