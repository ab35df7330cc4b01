import { useState } from "react"
import type { Organization } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { fraud as english } from "../../i18n/en/fraud.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useOrganization, useSession } from "../../session.tsx"
import { Button } from "../../ui/button.tsx"
import { Badge, Code, Time } from "../../ui/data.tsx"
import { ConfirmWrite } from "../../ui/confirmWrite.tsx"
import { Section } from "../../ui/page.tsx"
import { Empty } from "../../ui/states.tsx"
import { Table } from "../../ui/table.tsx"
import { AddPrefix } from "./AddPrefix.tsx"
import { type List, listed, type ListedPrefix, withoutPrefix } from "./lists.ts"

/** The prefixes that are blocked, and those without fraud rules: one row each. */
export const PrefixLists = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useTexts(english)
  const { can, isOperator } = useSession()
  const { api } = useOrganization()
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<ListedPrefix>()
  const rows = listed(organization)
  const mayChange = (list: List) =>
    can("organization.update") && (isOperator || list === "blockedPrefixes")
  return (
    <Section title={t.fraud.lists} intro={t.fraud.listsIntro}>
      {can("organization.update") && <Button onClick={() => setAdding(true)}>{t.fraud.add}</Button>}
      {rows.length === 0 ? (
        <Empty title={t.fraud.listsEmpty} />
      ) : (
        <Table
          label={t.fraud.lists}
          hasTimes
          rows={rows}
          rowKey={({ list, prefix }) => `${list} ${prefix}`}
          columns={[
            { key: "prefix", title: t.fraud.prefix, cell: ({ prefix }) => <Code>{prefix}</Code> },
            {
              key: "effect",
              title: t.fraud.effect,
              cell: ({ list }) =>
                list === "blockedPrefixes" ? (
                  <Badge tone="bad">{t.fraud.isBlocked}</Badge>
                ) : (
                  <Badge tone="good">{t.fraud.isAllowed}</Badge>
                ),
            },
            { key: "why", title: t.fraud.why, fill: true, cell: ({ reason }) => reason ?? "—" },
            {
              key: "by",
              title: t.fraud.setBy,
              wide: true,
              cell: ({ changedBy }) => changedBy ?? "—",
            },
            {
              key: "since",
              title: t.fraud.since,
              wide: true,
              cell: ({ changedAt }) =>
                changedAt === undefined ? "—" : <Time iso={changedAt} minutes />,
            },
            {
              key: "actions",
              title: t.word.actions,
              untitled: true,
              align: "end",
              cell: (row) =>
                mayChange(row.list) && (
                  <Button
                    className="small"
                    aria-label={fill(t.fraud.liftLabel, { prefix: row.prefix })}
                    onClick={() => setRemoving(row)}
                  >
                    {t.fraud.lift}
                  </Button>
                ),
            },
          ]}
        />
      )}
      {isAdding && <AddPrefix onClose={() => setAdding(false)} />}
      {removing !== undefined && (
        <ConfirmWrite
          title={fill(
            removing.list === "blockedPrefixes" ? t.fraud.liftTitle : t.fraud.unallowTitle,
            { prefix: removing.prefix },
          )}
          text={removing.list === "blockedPrefixes" ? t.fraud.unblockText : t.fraud.unallowText}
          action={t.fraud.lift}
          write={{ method: "PATCH", path: api(""), body: withoutPrefix(organization, removing) }}
          stale={api("")}
          done={fill(t.fraud.lifted, { prefix: removing.prefix })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  )
}
