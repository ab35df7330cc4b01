import { useState } from "react"
import { type ApiError, useRead, useWrite } from "../../api/client.ts"
import type { AlertList, Organization } from "../../api/types.ts"
import { alertKinds } from "../../generated/alerts.ts"
import { fill } from "../../i18n/dictionary.ts"
import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { latinDigits } from "../../i18n/limitWords.ts"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Badge } from "../../ui/data.tsx"
import { CheckField, Form, TextField } from "../../ui/form.tsx"
import { Section } from "../../ui/page.tsx"
import { Problem } from "../../ui/problem.tsx"
import { Loaded } from "../../ui/states.tsx"
import { useNotify } from "../../ui/toasts.tsx"
import { noNumber } from "./noNumber.ts"
import { SettingRow, SettingRows, useOrigin } from "./SettingRow.tsx"

type Alert = AlertList["alerts"][number]
type Kind = (typeof alertKinds)[Alert["alert"]]

interface EditorProps {
  /** The name of the field, as the service has it. */
  readonly field: string
  readonly kind: Kind
  readonly bound: string | null
  readonly bodyOf: (bound: string | null) => object
  readonly onClose: () => void
}

const BoundEditor = ({ bodyOf, bound, field, kind, onClose }: EditorProps) => {
  const { t } = useTexts(english)
  const { host } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [isOn, setOn] = useState(true)
  const [text, setText] = useState(bound ?? "")
  const write = useWrite(api(""))
  const label = fill(t.settingsPage.bound[kind], { currency: host.currency })
  const [invalid, setInvalid] = useState<ApiError | null>(null)
  const submit = () => {
    const typed = isOn ? latinDigits(text).trim() : null
    const isNumber = typed === null || kind === "money" || /^\d+$/.test(typed)
    setInvalid(isNumber ? null : noNumber(field))
    if (!isNumber) return
    write.mutate(
      { method: "PATCH", path: api(""), body: bodyOf(typed) },
      {
        onSuccess: () => {
          notify(t.settings.saved)
          onClose()
        },
      },
    )
  }
  return (
    <Form
      className="form setting-editor"
      error={invalid ?? write.error}
      fields={[field]}
      onSubmit={submit}
    >
      <CheckField name="on" label={t.settingsPage.on} checked={isOn} onChange={setOn} />
      {isOn && (
        <div className="window-fields">
          <TextField
            name={field}
            label={label}
            inputMode={kind === "money" ? "decimal" : "numeric"}
            value={text}
            onChange={setText}
          />
        </div>
      )}
      <div className="dialog-buttons">
        <Button onClick={onClose}>{t.action.cancel}</Button>
        <Button type="submit" variant="primary" busy={write.isPending}>
          {t.action.save}
        </Button>
      </div>
    </Form>
  )
}

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
export const AlertRows = ({ organization }: { readonly organization: Organization }) => {
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
