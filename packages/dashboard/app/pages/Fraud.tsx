import { useState } from "react"
import { useRead } from "../api/client.ts"
import type { FindingList, FraudFinding, Organization } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { fraud as english } from "../i18n/en/fraud.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code, Time } from "../ui/data.tsx"
import { sum } from "../ui/decimal.ts"
import { Page, Section } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { Table } from "../ui/table.tsx"
import { AddPrefix } from "./fraud/AddPrefix.tsx"
import { PrefixLists } from "./fraud/PrefixLists.tsx"
import { Trial } from "./fraud/Trial.tsx"

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

/** The suspicious traffic now: the number of prefixes, and the number of their codes that no user entered. */
const Sentence = ({ rows }: { readonly rows: ReadonlyArray<PrefixRow> }) => {
  const { format, t } = useTexts(english)
  const { host } = useSession()
  const amount = sum(rows.map(({ unverifiedAmount }) => unverifiedAmount))
  const unverified = rows.reduce((total, { sent, verified }) => total + sent - verified, 0)
  const denied = rows.filter(({ action }) => action === "deny").length
  const values = {
    prefixes: format.plural(rows.length, t.fraud.prefixCount),
    codes: format.number(unverified),
    amount: format.money(amount, host.currency),
  }
  return (
    <p className={`notice ${denied > 0 ? "warn" : ""}`}>
      {fill(denied > 0 ? t.fraud.denying : t.fraud.observing, values)}
    </p>
  )
}

interface PrefixesProps extends FindingList {
  readonly blocked: ReadonlyArray<string>
}

const Prefixes = ({ blocked, findings }: PrefixesProps) => {
  const { format, t } = useTexts(english)
  const { can, host } = useSession()
  const [blocking, setBlocking] = useState<PrefixRow>()
  const whyOf = ({ reason, sent, verified }: PrefixRow) =>
    fill(t.fraud[`${reason}Why`], { sent: String(sent), verified: String(verified) })
  const rows = byPrefix(findings)
  return (
    <Section title={t.fraud.prefixes}>
      <Sentence rows={rows} />
      <Table<PrefixRow>
        label={t.fraud.prefixes}
        hasTimes
        rows={rows}
        rowKey={({ prefix }) => prefix}
        columns={[
          { key: "prefix", title: t.fraud.prefix, cell: ({ prefix }) => <Code>{prefix}</Code> },
          { key: "reason", title: t.fraud.reason, cell: ({ reason }) => t.fraud[reason] },
          {
            key: "sent",
            title: t.fraud.sent,
            align: "end",
            cell: ({ sent }) => format.number(sent),
          },
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
          {
            key: "cost",
            title: `${t.fraud.cost} (${host.currency})`,
            align: "end",
            cell: ({ unverifiedAmount }) => format.decimal(unverifiedAmount),
          },
          {
            key: "count",
            title: t.fraud.count,
            align: "end",
            wide: true,
            cell: (row) => format.number(row.findings),
          },
          {
            key: "newest",
            title: t.fraud.newest,
            wide: true,
            cell: ({ at }) => <Time iso={at} minutes />,
          },
          {
            key: "action",
            title: t.fraud.action,
            cell: ({ action }) => (
              <Badge tone={action === "deny" ? "bad" : "info"}>{t.fraud[action]}</Badge>
            ),
          },
          {
            key: "actions",
            title: t.word.actions,
            untitled: true,
            align: "end",
            cell: (row) =>
              blocked.includes(row.prefix) ? (
                <Badge tone="bad">{t.fraud.isBlocked}</Badge>
              ) : (
                can("organization.update") && (
                  <Button
                    className="small"
                    aria-label={fill(t.fraud.blockLabel, { prefix: row.prefix })}
                    onClick={() => setBlocking(row)}
                  >
                    {t.fraud.block}
                  </Button>
                )
              ),
          },
        ]}
      />
      {blocking !== undefined && (
        <AddPrefix
          prefix={blocking.prefix}
          reason={whyOf(blocking)}
          onClose={() => setBlocking(undefined)}
        />
      )}
    </Section>
  )
}

const noPrefixes: ReadonlyArray<string> = []

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
        {({ findings }) =>
          findings.length > 0 ? (
            <Prefixes
              findings={findings}
              blocked={organization.data?.blockedPrefixes ?? noPrefixes}
            />
          ) : (
            <Empty
              title={t.fraud.findingsEmpty}
              {...(host.fraud !== null && { hint: t.fraud.findingsEmptyHint })}
            />
          )
        }
      </Loaded>
      <Loaded query={organization}>{(found) => <PrefixLists organization={found} />}</Loaded>
      <Trial />
    </Page>
  )
}

export default Fraud
