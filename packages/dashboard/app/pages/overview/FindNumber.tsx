import { useState } from "react"
import { useLocation } from "wouter"
import { withQuery } from "../../api/client.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { typedNumber } from "../../ui/typedNumber.ts"

/** Leads to the verifications of a number: the usual reason to open the dashboard. */
export const FindNumber = () => {
  const { t } = useI18n()
  const { page } = useOrganization()
  const [, go] = useLocation()
  const [number, setNumber] = useState("")
  const find = () => go(page(withQuery("verifications", { phoneNumber: typedNumber(number) })))
  return (
    <Form className="filters find" error={null} fields={[]} onSubmit={find}>
      <TextField
        name="phoneNumber"
        label={t.overview.find}
        type="tel"
        inputMode="tel"
        placeholder="+880…"
        value={number}
        onChange={setNumber}
      />
      <Button type="submit">{t.action.search}</Button>
    </Form>
  )
}
