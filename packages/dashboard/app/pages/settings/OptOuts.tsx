import { useState } from "react"
import { useRead, useWrite, withQuery } from "../../api/client.ts"
import type { OptOutStatus } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { optOuts as english } from "../../i18n/en/optOuts.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Form, TextField } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { Problem } from "../../ui/problem.tsx"
import { useNotify } from "../../ui/toasts.tsx"
import { typedNumber } from "../../ui/typedNumber.ts"

interface FoundProps {
  readonly number: string
  readonly status: OptOutStatus
}

/** The opt-out status of a number, and the button that changes it. */
const Found = ({ number, status: { isOptedOut, since } }: FoundProps) => {
  const { format, t } = useTexts(english)
  const { can } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const write = useWrite(api("opt-outs"))
  const change = () => {
    const path = api(isOptedOut ? "opt-outs/remove" : "opt-outs")
    const onSuccess = () =>
      notify(fill(isOptedOut ? t.optOuts.removed : t.optOuts.added, { number }))
    write.mutate({ method: "POST", path, body: { phoneNumbers: [number] } }, { onSuccess })
  }
  const time = since === null ? "—" : format.time(since)
  return (
    <>
      <p role="status" className="notice">
        {fill(isOptedOut ? t.optOuts.isOut : t.optOuts.isIn, { number, time })}
      </p>
      <Problem error={write.error} />
      {can("optOuts.add") && (
        <div className="dialog-buttons">
          <Button busy={write.isPending} onClick={change}>
            {isOptedOut ? t.optOuts.remove : t.optOuts.add}
          </Button>
        </div>
      )}
    </>
  )
}

/** The numbers that get no promotional messages: their list has digests, so a number has to be entered. */
const OptOuts = () => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  const [typed, setTyped] = useState("")
  const [number, setNumber] = useState<string>()
  const path = withQuery(api("opt-outs"), { phoneNumber: number })
  const query = useRead<OptOutStatus>(path, { enabled: number !== undefined })
  const check = () => {
    const next = typedNumber(typed)
    setNumber(next)
    if (next === number) void query.refetch()
  }
  return (
    <Section title={t.optOuts.title} intro={t.optOuts.intro}>
      <Form className="filters" error={query.error} fields={["phoneNumber"]} onSubmit={check}>
        <TextField
          name="phoneNumber"
          label={t.word.phoneNumber}
          type="tel"
          inputMode="tel"
          placeholder="+880…"
          value={typed}
          onChange={setTyped}
        />
        <div className="filter-buttons">
          <Button type="submit" variant="primary" busy={query.isFetching}>
            {t.optOuts.check}
          </Button>
        </div>
      </Form>
      {number !== undefined && query.data !== undefined && (
        <Found key={number} number={number} status={query.data} />
      )}
    </Section>
  )
}

export default OptOuts
