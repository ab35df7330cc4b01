import { useState } from "react"
import { ApiError, type FieldProblem, useRead, useWrite } from "../api/client.ts"
import type { Organization } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Badge, Code, Facts } from "../ui/data.tsx"
import { Confirm } from "../ui/dialog.tsx"
import { Form, TextField, SaveButton } from "../ui/form.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Loaded } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { useNotify } from "../ui/toasts.tsx"
import { LimitsForm } from "./settings/LimitsForm.tsx"
import { OptOuts } from "./settings/OptOuts.tsx"
import { PersonalData } from "./settings/PersonalData.tsx"
import { QuietHours } from "./settings/QuietHours.tsx"
import { RepairTime } from "./settings/RepairTime.tsx"

/** The problem if the list that was to be saved does not admit the reader's own address. */
const shutOutBy = (error: Error): FieldProblem | undefined =>
  error instanceof ApiError
    ? error.problems["allowList"]?.find(({ code }) => code === "shuts_out")
    : undefined

const General = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { has, host } = useSession()
  const { api } = useOrganization()
  const notify = useNotify()
  const [name, setName] = useState(organization.name)
  const [lowAt, setLowAt] = useState(organization.balanceLowAt ?? "")
  const [addresses, setAddresses] = useState(organization.allowList.join("\n"))
  const write = useWrite(api(""), "organizations?")
  const [shutOut, setShutOut] = useState<FieldProblem>()
  const submit = (admitsOwnAddress: boolean) => {
    const allowList = addresses
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
    const balanceLowAt = lowAt.trim() === "" ? null : lowAt
    const body = { name, balanceLowAt, allowList, admitsOwnAddress }
    write.mutate(
      { method: "PATCH", path: api(""), body },
      {
        onSuccess: () => {
          setShutOut(undefined)
          notify(t.settings.saved)
        },
        onError: (error) => setShutOut(shutOutBy(error)),
      },
    )
  }
  return (
    <Section title={t.settings.general}>
      <Form
        className="panel form"
        error={write.error}
        fields={["name", "balanceLowAt", "allowList"]}
        disabled={!has("admin")}
        onSubmit={() => submit(true)}
      >
        <div className="fields">
          <TextField
            name="name"
            label={t.word.name}
            hint={t.settings.nameHint}
            value={name}
            onChange={setName}
          />
          <TextField
            name="balanceLowAt"
            label={`${t.settings.balanceLowAt} (${host.currency})`}
            hint={t.settings.balanceLowHint}
            inputMode="decimal"
            optional
            value={lowAt}
            onChange={setLowAt}
          />
        </div>
        <TextField
          name="allowList"
          label={t.settings.allowList}
          hint={`${t.settings.allowListIntro} ${t.settings.addressesHint}`}
          rows={4}
          mono
          optional
          value={addresses}
          onChange={setAddresses}
        />
        {has("admin") && <SaveButton busy={write.isPending} />}
      </Form>
      <Confirm
        open={shutOut !== undefined}
        onClose={() => setShutOut(undefined)}
        title={t.settings.shutOutTitle}
        text={fill(t.settings.shutOutText, { address: String(shutOut?.params["address"]) })}
        action={t.settings.shutOutSave}
        onConfirm={() => submit(false)}
        busy={write.isPending}
      />
    </Section>
  )
}

const HostSection = () => {
  const { format, t } = useI18n()
  const { host } = useSession()
  const names: Readonly<Record<keyof typeof host.retention, string>> = t.retentionKind
  const nameOf: Readonly<Record<string, string>> = names
  const kept = (duration: string | null) =>
    duration === null ? t.settings.keptForever : format.duration(duration)
  return (
    <>
      <Section title={t.settings.host} intro={t.settings.hostIntro}>
        <Facts
          items={[
            [t.settings.currency, host.currency],
            [t.settings.channels, format.list(host.channels.map((channel) => t.channel[channel]))],
            [t.settings.production, host.production ? t.word.yes : t.word.no],
          ]}
        />
      </Section>
      <Section title={t.settings.retention}>
        <Facts
          items={Object.entries(host.retention).map(([kind, duration]) => [
            nameOf[kind] ?? kind,
            kept(duration),
          ])}
        />
      </Section>
      <Section title={t.settings.testNumbers} intro={t.settings.testNumbersHint}>
        {host.testNumbers.length === 0 ? (
          <p className="muted">{t.settings.noTestNumbers}</p>
        ) : (
          <Table
            label={t.settings.testNumbers}
            rows={host.testNumbers}
            rowKey={({ phoneNumber }) => phoneNumber}
            columns={[
              {
                key: "number",
                title: t.word.phoneNumber,
                cell: ({ phoneNumber }) => <Code>{phoneNumber}</Code>,
              },
              {
                key: "outcome",
                title: t.tryIt.outcome,
                cell: ({ outcome }) => <Badge tone="info">{outcome}</Badge>,
              },
            ]}
          />
        )}
      </Section>
    </>
  )
}

const Settings = () => {
  const { t } = useI18n()
  const { has, isOperator } = useSession()
  const { api } = useOrganization()
  const query = useRead<Organization>(api(""))
  return (
    <Page title={t.settings.title} intro={t.settings.intro}>
      <Loaded query={query}>
        {(organization) => (
          <>
            <General organization={organization} />
            <LimitsForm organization={organization} />
            <QuietHours organization={organization} />
          </>
        )}
      </Loaded>
      <OptOuts />
      <HostSection />
      {has("admin") && <PersonalData />}
      {isOperator && has("admin") && <RepairTime />}
    </Page>
  )
}

export default Settings
