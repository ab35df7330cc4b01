import { useMemo, useState } from "react"
import { ApiError, type FieldProblem, useWrite } from "../../api/client.ts"
import type { Organization } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { byLimit } from "../../ui/refusals.ts"
import { Form, TextField } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { useNotify } from "../../ui/toasts.tsx"
import { parseWindow, windowText } from "./windows.ts"

type Limits = Organization["limits"]

const windows = [
  "sendsPerNumber",
  "sendsPerClient",
  "messagesPerOrganization",
  "checksPerOrganization",
  "checksPerClient",
  "checksPerRequest",
  "guessesPerNumber",
] as const

const numbers = [
  "pendingPerNumber",
  "guessesSinceSuccess",
  "attempts",
  "resends",
  "resendCooldownMillis",
  "messageLength",
] as const

const fields = [...windows, ...numbers, "spendPerDay"]

type Texts = Readonly<Record<string, string>>

const textsOf = (limits: Limits): Texts => {
  const plain = (value: string | number | null | undefined): string =>
    value === undefined ? "" : value === null ? "none" : String(value)
  return Object.fromEntries([
    ...windows.map((name) => [name, windowText(limits[name])]),
    ...numbers.map((name) => [name, plain(limits[name])]),
    ["spendPerDay", plain(limits.spendPerDay)],
  ])
}

/** The fields that were changed. The service judges the values; only windows have a grammar of this page. */
const changesOf = (before: Texts, after: Texts) => {
  const isWindow = (name: string): boolean => windows.some((one) => one === name)
  const isNone = (text: string): boolean => text.trim().toLowerCase() === "none"
  const changed = Object.entries(after).filter(
    ([name, text]) => text !== before[name] && text.trim() !== "",
  )
  const values = changed.map(([name, text]) => {
    if (isNone(text)) return [name, null] as const
    if (isWindow(name)) return [name, parseWindow(text)] as const
    return [name, name === "spendPerDay" ? text : Number(text)] as const
  })
  return {
    limits: Object.fromEntries(values),
    invalid: values.filter(([, value]) => value === "invalid").map(([name]) => name),
    // The host's own values apply to them again.
    resetLimits: Object.entries(after)
      .filter(([name, text]) => text.trim() === "" && before[name] !== "")
      .map(([name]) => name),
  }
}

/** A window whose text has another grammar, refused as the service refuses what is no window. */
const notWindow: FieldProblem = { code: "limit_not_window", params: {}, message: "" }

const invalidWindows = (names: ReadonlyArray<string>): ApiError =>
  new ApiError(422, {
    problems: Object.fromEntries(names.map((name) => [name, [notWindow]])),
  })

const atLimits = (error: Error | null): Error | null =>
  error instanceof ApiError
    ? new ApiError(error.status, { code: error.code, problems: byLimit(error.problems) })
    : error

export const LimitsForm = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { has, isOperator } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const canChange = isOperator && has("admin")
  const before = textsOf(organization.limits)
  const [texts, setTexts] = useState<Texts>(before)
  const [invalid, setInvalid] = useState<ApiError | null>(null)
  const write = useWrite(api(""))
  const refused = useMemo(() => atLimits(write.error), [write.error])
  const submit = () => {
    const { invalid: names, ...body } = changesOf(before, texts)
    setInvalid(names.length === 0 ? null : invalidWindows(names))
    if (names.length > 0) return
    write.mutate(
      { method: "PATCH", path: api(""), body },
      { onSuccess: () => notify(t.settings.saved) },
    )
  }
  const field = (name: keyof Texts & keyof typeof t.settings, hint?: string) => (
    <TextField
      key={name}
      name={name}
      label={t.settings[name]}
      readOnly={!canChange}
      {...(hint === undefined ? {} : { hint })}
      value={texts[name] ?? ""}
      onChange={(value) => setTexts((all) => ({ ...all, [name]: value }))}
    />
  )
  return (
    <Section title={t.settings.limits} intro={`${t.settings.limitsIntro} ${t.settings.windowHint}`}>
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
          {field("spendPerDay")}
        </div>
        {canChange && (
          <div className="dialog-buttons">
            <Button type="submit" variant="primary" busy={write.isPending}>
              {t.action.save}
            </Button>
          </div>
        )}
      </Form>
    </Section>
  )
}
