import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { Organization } from "../../api/types.ts"
import { fraud as english } from "../../i18n/en/fraud.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Form, TextField, SaveButton } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { useNotify } from "../../ui/toasts.tsx"

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/[\s,]+/)
    .map((line) => line.trim().replace(/^\+/, ""))
    .filter((line) => line !== "")

const Lists = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(english)
  const { has, isOperator } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [blocked, setBlocked] = useState(organization.blockedPrefixes.join("\n"))
  const [allowed, setAllowed] = useState(organization.allowedPrefixes.join("\n"))
  const write = useWrite(api(""))
  const submit = () => {
    const body = {
      blockedPrefixes: linesOf(blocked),
      ...(isOperator ? { allowedPrefixes: linesOf(allowed) } : {}),
    }
    write.mutate(
      { method: "PATCH", path: api(""), body },
      { onSuccess: () => notify(t.fraud.saved) },
    )
  }
  return (
    <Form
      className="panel form"
      error={write.error}
      fields={["blockedPrefixes", "allowedPrefixes"]}
      disabled={!has("admin")}
      onSubmit={submit}
    >
      <div className="fields">
        <TextField
          name="blockedPrefixes"
          label={t.fraud.blocked}
          hint={t.fraud.listHint}
          rows={5}
          mono
          value={blocked}
          onChange={setBlocked}
        />
        <TextField
          name="allowedPrefixes"
          label={t.fraud.allowed}
          hint={t.fraud.listHint}
          rows={5}
          mono
          readOnly={!isOperator}
          value={allowed}
          onChange={setAllowed}
        />
      </div>
      {has("admin") && <SaveButton busy={write.isPending} />}
    </Form>
  )
}

export const PrefixLists = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(english)
  const { allowedPrefixes, blockedPrefixes } = organization
  return (
    <Section title={t.fraud.lists} intro={t.fraud.listsIntro}>
      {/* Lists that changed elsewhere, such as by the button Block, begin the form anew. */}
      <Lists
        key={[...blockedPrefixes, "|", ...allowedPrefixes].join()}
        organization={organization}
      />
    </Section>
  )
}
