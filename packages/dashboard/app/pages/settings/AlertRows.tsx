import { useState } from "react"
import { useRead, useWrite } from "../../api/client.ts"
import type { AlertList, Organization } from "../../api/types.ts"
import { alertKinds } from "../../generated/alerts.ts"
import { fill } from "../../i18n/dictionary.ts"
import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Badge } from "../../ui/data.tsx"
import { Section } from "../../ui/page.tsx"
import { Problem } from "../../ui/problem.tsx"
import { Loaded } from "../../ui/states.tsx"
import { useNotify } from "../../ui/toasts.tsx"
import { BoundEditor, type Kind } from "./BoundEditor.tsx"
import { SettingRow, SettingRows, useOrigin } from "./SettingRow.tsx"

type Alert = AlertList["alerts"][number]

const useBoundText = () => {
  const { format, t } = useTexts(english)
  const { host } = useSession()
  return (kind: Kind, side: "below" | "above", bound: string | null): string => {
    if (bound === null) return t.settingsPage.off
    const value =
      kind === "money"
        ? format.money(bound, host.currency)
        : kind === "percent"
          ? format.percent(Number(bound) / 100)
          : format.duration(`${bound} minutes`)
    return fill(t.settingsPage[side], { value })
  }
}

interface RowProps {
  readonly organization: Organization
  readonly edited: string | undefined
  readonly onEdit: (name: string | undefined) => void
}

const BalanceRow = ({ edited, onEdit, organization }: RowProps) => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const textOf = useBoundText()
  const originOf = useOrigin(organization)
  const { balanceLowAt } = organization
  return (
    <SettingRow
      label={t.settingsPage.balance}
      hint={t.settingsPage.balanceHint}
      value={textOf("money", "below", balanceLowAt)}
      origin={balanceLowAt === null ? t.settingsPage.byDefault : originOf("balanceLowAt")}
      canChange={can("organization.update")}
      onChange={() => onEdit("balance")}
      {...(edited === "balance" && {
        editor: (
          <BoundEditor
            field="balanceLowAt"
            kind="money"
            bound={balanceLowAt}
            bodyOf={(bound) => ({ balanceLowAt: bound })}
            onClose={() => onEdit(undefined)}
          />
        ),
      })}
    />
  )
}

const AlertRow = ({
  alert,
  edited,
  onEdit,
  organization,
}: RowProps & { readonly alert: Alert }) => {
  const { format, t } = useTexts(english)
  const { can } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const textOf = useBoundText()
  const originOf = useOrigin(organization)
  const reset = useWrite(api(""))
  const { alert: name, bound, isOwn, openSince } = alert
  const kind = alertKinds[name]
  const side = kind === "percent" ? "below" : "above"
  const onReset = () =>
    reset.mutate(
      { method: "PATCH", path: api(""), body: { resetAlerts: [name] } },
      { onSuccess: () => notify(t.settings.saved) },
    )
  return (
    <>
      <SettingRow
        label={t.settingsPage.alerts[name]}
        hint={t.settingsPage.alertHints[name]}
        value={
          <>
            {textOf(kind, side, bound)}{" "}
            {openSince !== null && (
              <Badge tone="bad">
                {fill(t.settingsPage.openSince, { time: format.minutes(openSince) })}
              </Badge>
            )}
          </>
        }
        origin={isOwn ? originOf(`alerts.${name}`) : t.settingsPage.byDefault}
        canChange={can("organization.update")}
        onReset={isOwn ? onReset : undefined}
        isResetting={reset.isPending}
        onChange={() => onEdit(name)}
        {...(edited === name && {
          editor: (
            <BoundEditor
              field="alerts"
              kind={kind}
              bound={bound}
              bodyOf={(text) => ({
                alerts: { [name]: kind === "money" || text === null ? text : Number(text) },
              })}
              onClose={() => onEdit(undefined)}
            />
          ),
        })}
      />
      <Problem error={reset.error} />
    </>
  )
}

/** The alerts of the organization: each with its bound, and whether it is open. */
const AlertRows = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  const [edited, setEdited] = useState<string>()
  const query = useRead<AlertList>(api("alerts"), { every: 60_000 })
  const rows = { organization, edited, onEdit: setEdited }
  return (
    <Section title={t.settingsPage.alertsTab} intro={t.settingsPage.alertsIntro}>
      <Loaded query={query}>
        {({ alerts }) => (
          <SettingRows label={t.settingsPage.alertsTab}>
            <BalanceRow {...rows} />
            {alerts.map((alert) => (
              <AlertRow key={alert.alert} alert={alert} {...rows} />
            ))}
          </SettingRows>
        )}
      </Loaded>
    </Section>
  )
}

export default AlertRows
