import { useMemo, useState } from "react"
import { useRead, withQuery } from "../api/client.ts"
import type { AuditRecord, AuditPage } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { audit as english } from "../i18n/en/audit.ts"
import { limitLabels } from "../generated/limitLabels.ts"
import { shownLimit } from "../i18n/limitWords.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useOrganization } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Code, Facts, Time } from "../ui/data.tsx"
import { Dialog, DialogButtons } from "../ui/dialog.tsx"
import { Search } from "../ui/search.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { choicesOf } from "./audit/choices.ts"
import { changesOf } from "./audit/changes.ts"
import { labelOf, sentenceOf, valueText, type Words } from "./audit/sentence.ts"

const useWords = (): Words => {
  const { format, locale, t } = useTexts(english)
  const limits: Readonly<Record<string, unknown>> = t.settings
  return useMemo(
    () => ({
      t: t.audit,
      limits: Object.fromEntries(
        Object.keys(limitLabels).map((name) => [name, String(limits[name] ?? name)]),
      ),
      number: format.number,
      time: format.time,
      limit: (text) => shownLimit(text, locale),
    }),
    [format, limits, locale, t],
  )
}

/** The fields that the entry has changed, and no others. */
const Changes = ({ entry }: { readonly entry: AuditRecord }) => {
  const { t } = useTexts(english)
  const words = useWords()
  const changes = changesOf(entry)
  if (changes.length === 0) return <p className="muted">{t.audit.noChange}</p>
  return (
    <Table
      label={t.audit.action}
      rows={changes}
      rowKey={({ field }) => field}
      columns={[
        { key: "field", title: t.audit.field, cell: ({ field }) => labelOf(words, field) },
        {
          key: "before",
          title: t.audit.before,
          cell: ({ before, field }) => valueText(words, field, before),
        },
        {
          key: "after",
          title: t.audit.after,
          cell: ({ after, field }) => valueText(words, field, after),
        },
      ]}
    />
  )
}

const Details = ({
  entry,
  onClose,
}: {
  readonly entry: AuditRecord
  readonly onClose: () => void
}) => {
  const { t } = useTexts(english)
  return (
    <Dialog
      open
      size="large"
      onOpenChange={(open) => open || onClose()}
      title={fill(t.audit.details, { sequence: String(entry.sequence) })}
    >
      <Facts
        items={[
          [t.word.time, <Time key="time" iso={entry.at} />],
          [
            t.audit.actor,
            entry.actorName === null ? entry.actor : `${entry.actorName} (${entry.actor})`,
          ],
          [t.audit.origin, entry.origin ?? "—"],
          [t.audit.action, <Code key="action">{entry.action}</Code>],
          [t.audit.target, entry.target ?? "—"],
          [t.word.reason, entry.reason ?? "—"],
        ]}
      />
      <Changes entry={entry} />
      <DialogButtons>
        <Button onClick={onClose}>{t.action.close}</Button>
      </DialogButtons>
    </Dialog>
  )
}

const useColumns = (show: (entry: AuditRecord) => void): ReadonlyArray<Column<AuditRecord>> => {
  const { t } = useTexts(english)
  const words = useWords()
  return [
    { key: "time", title: t.word.time, cell: ({ at }) => <Time iso={at} /> },
    {
      key: "sentence",
      title: t.audit.sentenceTitle,
      fill: true,
      cell: (entry) => {
        const sentence = sentenceOf(words, entry)
        return (
          <span className="clip" title={sentence}>
            {sentence}
          </span>
        )
      },
    },
    {
      key: "reason",
      title: t.word.reason,
      wide: true,
      cell: ({ reason }) => (
        <span className="clip" title={reason ?? ""}>
          {reason ?? "—"}
        </span>
      ),
    },
    { key: "origin", title: t.audit.origin, wide: true, cell: ({ origin }) => origin ?? "—" },
    {
      key: "details",
      title: t.word.actions,
      untitled: true,
      align: "end",
      cell: (entry) => (
        <Button
          className="small"
          aria-label={`${t.audit.show}: ${entry.action} ${entry.sequence}`}
          onClick={() => show(entry)}
        >
          {t.audit.show}
        </Button>
      ),
    },
  ]
}

/** The actors and the targets of the newest entries, to choose from. */
const useChoices = () => {
  const { api } = useOrganization()
  const { data } = useRead<AuditPage>(withQuery(api("audit"), { limit: 200 }))
  return useMemo(() => choicesOf(data?.entries ?? []), [data])
}

const Audit = () => {
  const { t } = useTexts(english)
  const [shown, setShown] = useState<AuditRecord>()
  const { actors, targets } = useChoices()
  const { empty, intro, none, noneHint: more, title } = t.audit
  const actions = Object.entries(t.audit.actions).map(([value, text]) => ({
    value,
    label: fill(text, { target: "" }).trim(),
  }))
  return (
    <>
      <Search
        path="audit"
        cursorName="before"
        csv="audit.csv"
        texts={{ title, intro, empty, none, more }}
        filters={[
          { name: "actor", label: t.audit.actor, kind: "text", options: actors },
          { name: "action", label: t.audit.action, kind: "text", options: actions },
          { name: "target", label: t.audit.target, kind: "text", options: targets },
          { name: "from", label: t.word.from, kind: "time" },
          { name: "to", label: t.word.to, kind: "time" },
        ]}
        columns={useColumns(setShown)}
        rowsOf={({ entries }: AuditPage) => entries}
        rowKey={({ sequence }) => sequence}
      />
      {shown !== undefined && <Details entry={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

export default Audit
