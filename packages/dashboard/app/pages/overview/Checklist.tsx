import { Link } from "wouter"
import { useRead } from "../../api/client.ts"
import type { ApiKeyList, Balance, Organization } from "../../api/types.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Section } from "../../ui/page.tsx"

/** The steps of an organization before its first message arrives. */
export const Checklist = () => {
  const { t } = useI18n()
  const { api, page } = useOrganization()
  const organization = useRead<Organization>(api("")).data
  const balance = useRead<Balance>(api("balance")).data
  const keys = useRead<ApiKeyList>(api("api-keys")).data
  if (organization === undefined || balance === undefined || keys === undefined) return null
  const texts = t.overview.checklist
  const steps = [
    { text: texts.sender, isDone: organization.hasDefaultSender, path: "senders" },
    { text: texts.balance, isDone: /[1-9]/.test(balance.balance), path: "balance" },
    {
      text: texts.key,
      isDone: keys.apiKeys.some(({ revokedAt }) => revokedAt === null),
      path: "api-keys",
    },
    { text: texts.message, isDone: false, path: "try-it" },
  ]
  return (
    <Section title={texts.title} intro={texts.intro}>
      <ol className="checklist">
        {steps.map(({ isDone, path, text }) => (
          <li key={path}>
            {isDone ? <Icon name="check" /> : <span className="icon" aria-hidden="true" />}
            <Link href={page(path)}>{text}</Link>
            <span className="muted">{isDone ? texts.done : texts.open}</span>
          </li>
        ))}
      </ol>
    </Section>
  )
}
