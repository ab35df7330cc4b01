import { useState } from "react"
import type { Organization } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { organizations } from "../../i18n/en/organizations.ts"
import { settingsPage } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmWrite } from "../../ui/confirmWrite.tsx"
import { Section } from "../../ui/page.tsx"

const texts = { ...organizations, ...settingsPage }

/** Suspends the organization, or ends its suspension. */
export const Suspension = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(texts)
  const { api } = useOrganization()
  const [isAsking, setAsking] = useState(false)
  const { isSuspended, name } = organization
  const action = isSuspended ? "resume" : "suspend"
  const own = t.settingsPage
  return (
    <Section
      title={isSuspended ? own.resumeTitle : own.suspendTitle}
      intro={isSuspended ? own.resumeIntro : own.suspendIntro}
    >
      <Button variant={isSuspended ? "secondary" : "danger"} onClick={() => setAsking(true)}>
        {t.organizations[action]}
      </Button>
      {isAsking && (
        <ConfirmWrite
          title={fill(t.organizations[`${action}Title`], { name })}
          text={t.organizations[`${action}Text`]}
          action={t.organizations[action]}
          write={{ method: "POST", path: api(action) }}
          stale="organizations"
          done={isSuspended ? own.resumed : own.suspended}
          onClose={() => setAsking(false)}
        />
      )}
    </Section>
  )
}
