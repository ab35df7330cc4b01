import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import { fill } from "../../i18n/dictionary.ts"
import { organizations as english } from "../../i18n/en/organizations.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { Section } from "../../ui/page.tsx"
import { useNotify } from "../../ui/toasts.tsx"

/** Repairs an organization that has recorded a time in the future, which a wrong clock has caused. */
export const RepairTime = () => {
  const { format, t } = useTexts(english)
  const { api, id } = useOrganization()
  const notify = useNotify()
  const [isAsking, setAsking] = useState(false)
  const write = useWrite<{ readonly messages: number }>(api(""))
  const text = t.organizations
  const close = () => setAsking(false)
  const onSuccess = ({ messages }: { readonly messages: number }) => {
    notify(format.plural(messages, { one: text.repairedOne, other: text.repairedOther }))
    close()
  }
  return (
    <Section title={text.repair} intro={text.repairText}>
      <Button onClick={() => setAsking(true)}>{text.repair}</Button>
      <Confirm
        open={isAsking}
        title={fill(text.repairTitle, { name: id })}
        text={text.repairText}
        action={text.repair}
        busy={write.isPending}
        error={write.error}
        onClose={close}
        onConfirm={() => write.mutate({ method: "POST", path: api("repair-time") }, { onSuccess })}
      />
    </Section>
  )
}
