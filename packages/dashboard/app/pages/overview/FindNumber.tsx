import { useState } from "react"
import { useLocation } from "wouter"
import { withQuery } from "../../api/client.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { typedNumber } from "../../ui/typedNumber.ts"

/** Leads to the verifications of a number: the usual reason to open the dashboard. The id of a request leads to its page. */
export const FindNumber = () => {
  const { t } = useI18n()
  const { page } = useOrganization()
  const [, go] = useLocation()
  const [number, setNumber] = useState("")
  const find = () => {
    const id = number.trim()
    const isRequest = id.startsWith("vrf_")
    const list = withQuery("verifications", { phoneNumber: typedNumber(number) })
    go(page(isRequest ? `verifications/${encodeURIComponent(id)}` : list))
  }
  return (
    <Form className="filters find" error={null} fields={[]} onSubmit={find}>
      <TextField
        name="phoneNumber"
        label={t.overview.find}
        type="tel"
        inputMode="tel"
        placeholder="+880…, vrf_…"
        value={number}
        onChange={setNumber}
      />
      <Button type="submit">{t.action.search}</Button>
    </Form>
  )
}
