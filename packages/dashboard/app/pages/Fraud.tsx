import { useState } from "react"
import { useRead, useWrite } from "../api/client.ts"
import type { FindingList, FraudFinding, Organization } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { fraud as english } from "../i18n/en/fraud.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, Time } from "../ui/data.tsx"
import { Confirm } from "../ui/dialog.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { useNotify } from "../ui/toasts.tsx"
import { PrefixLists } from "./fraud/PrefixLists.tsx"
import { Trial } from "./fraud/Trial.tsx"

const Block = ({ onClose, prefix }: { readonly prefix: string; readonly onClose: () => void }) => {
  const { t } = useTexts(english)
  const { api } = useOrganization()
  const notify = useNotify()
  const organization = useRead<Organization>(api("")).data
  const write = useWrite(api(""))
  if (organization === undefined) return null
  const blockedPrefixes = [...new Set([...organization.blockedPrefixes, prefix])]
  const onSuccess = () => {
    notify(fill(t.fraud.blockDone, { prefix }))
    onClose()
  }
  return (
    <Confirm
      open
      title={fill(t.fraud.blockTitle, { prefix })}
      text={t.fraud.blockText}
      action={t.fraud.block}
      busy={write.isPending}
      error={write.error}
      onClose={onClose}
      onConfirm={() =>
        write.mutate({ method: "PATCH", path: api(""), body: { blockedPrefixes } }, { onSuccess })
      }
    />
  )
}

interface PrefixRow extends FraudFinding {
  readonly findings: number
}

/** The newest finding of each prefix. */
const byPrefix = (findings: ReadonlyArray<FraudFinding>): ReadonlyArray<PrefixRow> => {
  const rows = new Map<string, PrefixRow>()
  for (const finding of findings) {
    const row = rows.get(finding.prefix)
    rows.set(finding.prefix, { ...(row ?? finding), findings: (row?.findings ?? 0) + 1 })
  }
  return [...rows.values()].toSorted((a, b) => b.findings - a.findings)
}

/** The columns that findings and prefixes have in common. */
const useNumbers = (): ReadonlyArray<Column<FraudFinding>> => {
  const { format, t } = useTexts(english)
  return [
    { key: "prefix", title: t.fraud.prefix, cell: ({ prefix }) => <Code>{prefix}</Code> },
    { key: "reason", title: t.fraud.reason, cell: ({ reason }) => t.fraud[reason] },
    { key: "sent", title: t.fraud.sent, align: "end", cell: ({ sent }) => format.number(sent) },
    {
      key: "verified",
      title: t.fraud.verified,
      align: "end",
      wide: true,
      cell: ({ verified }) => format.number(verified),
    },
    {
      key: "rate",
      title: t.fraud.rate,
      align: "end",
      cell: ({ sent, verified }) => (sent === 0 ? "—" : format.percent(verified / sent)),
    },
  ]
}

const Prefixes = ({ findings }: FindingList) => {
  const { format, t } = useTexts(english)
  const { has } = useSession()
  const numbers = useNumbers()
  const [blocking, setBlocking] = useState<string>()
  return (
    <Section title={t.fraud.prefixes}>
      <Table<PrefixRow>
        label={t.fraud.prefixes}
        hasTimes
        rows={byPrefix(findings)}
        rowKey={({ prefix }) => prefix}
        columns={[
          ...numbers,
          {
            key: "count",
            title: t.fraud.count,
            align: "end",
            cell: (row) => format.number(row.findings),
          },
          {
            key: "newest",
            title: t.fraud.newest,
            wide: true,
            cell: ({ at }) => <Time iso={at} minutes />,
          },
          {
            key: "actions",
            title: t.word.actions,
            untitled: true,
            align: "end",
            cell: ({ prefix }) =>
              has("admin") && (
                <Button
                  className="small"
                  aria-label={fill(t.fraud.blockLabel, { prefix })}
                  onClick={() => setBlocking(prefix)}
                >
                  {t.fraud.block}
                </Button>
              ),
          },
        ]}
      />
      {blocking !== undefined && <Block prefix={blocking} onClose={() => setBlocking(undefined)} />}
    </Section>
  )
}

const Findings = ({ findings }: FindingList) => {
  const { t } = useTexts(english)
  const { host } = useSession()
  const numbers = useNumbers()
  return (
    <Section title={t.fraud.findings}>
      {findings.length === 0 ? (
        <Empty
          title={t.fraud.findingsEmpty}
          {...(host.fraud !== null && { hint: t.fraud.findingsEmptyHint })}
        />
      ) : (
        <Table
          label={t.fraud.findings}
          hasTimes
          rows={findings.map((finding, index) => ({ ...finding, index }))}
          rowKey={({ index }) => index}
          columns={[
            { key: "at", title: t.word.time, cell: ({ at }) => <Time iso={at} minutes /> },
            ...numbers,
            {
              key: "action",
              title: t.fraud.action,
              cell: ({ action }) => (
                <Badge tone={action === "deny" ? "bad" : "info"}>{t.fraud[action]}</Badge>
              ),
            },
          ]}
        />
      )}
    </Section>
  )
}

const Fraud = () => {
  const { t } = useTexts(english)
  const { host } = useSession()
  const { api } = useOrganization()
  const query = useRead<FindingList>(api("fraud/findings?limit=200"), { every: 60_000 })
  const organization = useRead<Organization>(api(""))
  return (
    <Page title={t.fraud.title} intro={t.fraud.intro}>
      {host.fraud === null && <p className="notice">{t.fraud.off}</p>}
      <Loaded query={query}>
        {({ findings }) => (
          <>
            {findings.length > 0 && <Prefixes findings={findings} />}
            <Findings findings={findings} />
          </>
        )}
      </Loaded>
      <Trial />
      <Loaded query={organization}>{(found) => <PrefixLists organization={found} />}</Loaded>
    </Page>
  )
}

export default Fraud
