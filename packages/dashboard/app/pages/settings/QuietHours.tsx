import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { Organization } from "../../api/types.ts"
import { optOuts as english } from "../../i18n/en/optOuts.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Form, TextField, SaveButton } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { useNotify } from "../../ui/toasts.tsx"

/** The fields by their labels, named as the service names their problems. */
const fields = {
  promotionalFrom: "quietHours.promotional.from",
  promotionalTo: "quietHours.promotional.to",
  transactionalFrom: "quietHours.transactional.from",
  transactionalTo: "quietHours.transactional.to",
} as const

type Name = keyof typeof fields

const names = ["promotionalFrom", "promotionalTo", "transactionalFrom", "transactionalTo"] as const

const valuesOf = ({ quietHours }: Organization): Readonly<Record<Name, string>> => ({
  promotionalFrom: quietHours?.promotional?.from ?? "",
  promotionalTo: quietHours?.promotional?.to ?? "",
  transactionalFrom: quietHours?.transactional?.from ?? "",
  transactionalTo: quietHours?.transactional?.to ?? "",
})

/** A class with two empty fields has no quiet hours. */
const hoursOf = (values: Readonly<Record<Name, string>>) => {
  const promotional = { from: values.promotionalFrom, to: values.promotionalTo }
  const transactional = { from: values.transactionalFrom, to: values.transactionalTo }
  const classes = Object.entries({ promotional, transactional }).filter(
    ([, { from, to }]) => from !== "" || to !== "",
  )
  return classes.length === 0 ? null : Object.fromEntries(classes)
}

export const QuietHours = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [values, setValues] = useState(valuesOf(organization))
  const write = useWrite(api(""))
  const submit = () =>
    write.mutate(
      { method: "PATCH", path: api(""), body: { quietHours: hoursOf(values) } },
      { onSuccess: () => notify(t.settings.saved) },
    )
  return (
    <Section title={t.quietHours.title} intro={`${t.quietHours.intro} ${t.quietHours.hint}`}>
      <Form
        className="panel form"
        error={write.error}
        fields={Object.values(fields)}
        disabled={!can("organization.update")}
        onSubmit={submit}
      >
        <div className="fields">
          {names.map((name) => (
            <TextField
              key={name}
              name={fields[name]}
              label={t.quietHours[name]}
              type="time"
              value={values[name]}
              onChange={(value) => setValues({ ...values, [name]: value })}
            />
          ))}
        </div>
        {can("organization.update") && <SaveButton busy={write.isPending} />}
      </Form>
    </Section>
  )
}
