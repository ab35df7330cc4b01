import { useState } from "react"
import { useWrite } from "../../api/client.ts"
import type { Organization } from "../../api/types.ts"
import { limitFields } from "../../generated/limitFields.ts"
import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Section } from "../../ui/page.tsx"
import { Problem } from "../../ui/problem.tsx"
import { useNotify } from "../../ui/toasts.tsx"
import type { LimitName } from "./limitDraft.ts"
import { LimitEditor } from "./LimitEditor.tsx"
import { limitText } from "./limitText.ts"
import { SettingRow, SettingRows, useOrigin } from "./SettingRow.tsx"

/** All limits, in the order in which they are read. */
const groups = {
  perNumber: ["sendsPerNumber", "pendingPerNumber", "guessesPerNumber", "guessesSinceSuccess"],
  perClient: ["sendsPerClient", "checksPerClient", "checksPerRequest"],
  organization: [
    "checksPerOrganization",
    "messagesPerOrganization",
    "spendPerDay",
    "messageLength",
    "pageSize",
  ],
  code: ["codeLength", "expiresIn", "attempts", "resends", "resendCooldown"],
} as const satisfies Readonly<Record<string, ReadonlyArray<LimitName>>>

const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

interface RowProps {
  readonly name: LimitName
  readonly organization: Organization
  readonly isEdited: boolean
  readonly onEdit: (name: LimitName | undefined) => void
}

const LimitRow = ({ isEdited, name, onEdit, organization }: RowProps) => {
  const { format, locale, t } = useTexts(english)
  const { can, host, isOperator } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const originOf = useOrigin(organization)
  const reset = useWrite(api(""))
  const { default: usual, kind } = limitFields[name]
  const own = organization.limits[name]
  const value = own === undefined ? host.limits[name] : own
  const words = { format, locale, t, currency: host.currency }
  const ofHost = isSame(host.limits[name], usual) ? t.settingsPage.byDefault : t.settingsPage.byHost
  const onReset = () =>
    reset.mutate(
      { method: "PATCH", path: api(""), body: { resetLimits: [name] } },
      { onSuccess: () => notify(t.settings.saved) },
    )
  return (
    <>
      <SettingRow
        label={t.settings[name]}
        value={limitText(kind, value, words)}
        origin={own === undefined ? ofHost : originOf(`limits.${name}`)}
        canChange={isOperator && can("organization.update")}
        onReset={own === undefined ? undefined : onReset}
        isResetting={reset.isPending}
        onChange={() => onEdit(name)}
        {...(isEdited && {
          editor: <LimitEditor name={name} value={value} onClose={() => onEdit(undefined)} />,
        })}
      />
      <Problem error={reset.error} />
    </>
  )
}

const LimitRows = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(english)
  const { can, isOperator } = useSession()
  const [edited, setEdited] = useState<LimitName>()
  return (
    <>
      {!(isOperator && can("organization.update")) && (
        <p className="intro">{t.settings.limitsOperator}</p>
      )}
      {(["perNumber", "perClient", "organization", "code"] as const).map((group) => (
        <Section key={group} title={t.settingsPage[group]}>
          <SettingRows label={t.settingsPage[group]}>
            {groups[group].map((name) => (
              <LimitRow
                key={name}
                name={name}
                organization={organization}
                isEdited={edited === name}
                onEdit={setEdited}
              />
            ))}
          </SettingRows>
        </Section>
      ))}
    </>
  )
}

export default LimitRows
