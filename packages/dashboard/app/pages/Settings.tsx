import { lazy, type ReactNode, Suspense, useState } from "react"
import { useRead, useWrite } from "../api/client.ts"
import type { Organization } from "../api/types.ts"
import { settingsPage as english } from "../i18n/en/settings.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Form, SaveButton, SelectField, TextField } from "../ui/form.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Loaded, Loading } from "../ui/states.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { useNotify } from "../ui/toasts.tsx"
import { QuietHours } from "./settings/QuietHours.tsx"
import { RetentionFacts, ServiceFacts } from "./settings/ServiceFacts.tsx"

// Each visit opens a few of the tabs.
const ExportNumber = lazy(async () => ({
  default: (await import("./settings/ExportNumber.tsx")).ExportNumber,
}))
const RepairTime = lazy(async () => ({
  default: (await import("./settings/RepairTime.tsx")).RepairTime,
}))
const Suspension = lazy(async () => ({
  default: (await import("./settings/Suspension.tsx")).Suspension,
}))

const AccessForm = lazy(() => import("./settings/AccessForm.tsx"))
const AlertRows = lazy(() => import("./settings/AlertRows.tsx"))
const EraseNumber = lazy(() => import("./settings/EraseNumber.tsx"))
const LimitRows = lazy(() => import("./settings/LimitRows.tsx"))
const OptOuts = lazy(() => import("./settings/OptOuts.tsx"))

interface Props {
  readonly organization: Organization
}

/** The time zones that the browser supports, after the choice of no zone. */
const zoneOptions = (none: string) => [
  { value: "", label: none },
  ...["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")].map(
    (zone) => ({ value: zone, label: zone }),
  ),
]

const General = ({ organization }: Props) => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [name, setName] = useState(organization.name)
  const [zone, setZone] = useState(organization.zone ?? "")
  const write = useWrite(api(""), "organizations?")
  const submit = () =>
    write.mutate(
      { method: "PATCH", path: api(""), body: { name, zone: zone === "" ? null : zone } },
      { onSuccess: () => notify(t.settings.saved) },
    )
  return (
    <Section title={t.settings.general}>
      <Form
        className="panel form"
        error={write.error}
        fields={["name", "zone"]}
        disabled={!can("organization.update")}
        onSubmit={submit}
      >
        <div className="fields">
          <TextField
            name="name"
            label={t.word.name}
            hint={t.settings.nameHint}
            value={name}
            onChange={setName}
          />
          <SelectField
            name="zone"
            label={t.settings.zone}
            hint={t.settings.zoneHint}
            options={zoneOptions(t.settings.zoneNone)}
            value={zone}
            onChange={setZone}
          />
        </div>
        {can("organization.update") && <SaveButton busy={write.isPending} />}
      </Form>
    </Section>
  )
}

const Later = ({ children }: { readonly children: ReactNode }) => (
  <Suspense fallback={<Loading />}>{children}</Suspense>
)

const SettingsTabs = ({ organization }: Props) => {
  const { t } = useTexts(english)
  const { can, isOperator } = useSession()
  const own = t.settingsPage
  const isAdmin = can("organization.update")
  const tab = (value: string, label: string, content: ReactNode) => ({ value, label, content })
  return (
    <Tabs
      tabs={[
        tab(
          "general",
          t.settings.general,
          <>
            <General organization={organization} />
            <QuietHours organization={organization} />
          </>,
        ),
        tab(
          "limits",
          own.limitsTab,
          <Later>
            <LimitRows organization={organization} />
          </Later>,
        ),
        tab(
          "access",
          own.access,
          <Later>
            <AccessForm organization={organization} />
          </Later>,
        ),
        tab(
          "alerts",
          own.alertsTab,
          <Later>
            <AlertRows organization={organization} />
          </Later>,
        ),
        tab(
          "privacy",
          own.privacy,
          <Later>
            <OptOuts />
            {isAdmin && <ExportNumber />}
            <RetentionFacts />
          </Later>,
        ),
        ...(isAdmin
          ? [
              tab(
                "danger",
                own.danger,
                <Later>
                  {isOperator && <Suspension organization={organization} />}
                  {isOperator && <RepairTime />}
                  <EraseNumber />
                </Later>,
              ),
            ]
          : []),
        ...(isOperator ? [tab("service", own.service, <ServiceFacts />)] : []),
      ]}
    />
  )
}

const Settings = () => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  const query = useRead<Organization>(api(""))
  return (
    <Page title={t.settings.title} intro={t.settings.intro}>
      <Loaded query={query}>
        {(organization) => <SettingsTabs organization={organization} />}
      </Loaded>
    </Page>
  )
}

export default Settings
