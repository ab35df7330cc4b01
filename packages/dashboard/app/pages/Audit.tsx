import { useState } from "react"
import type { AuditRecord, AuditPage } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { audit as english } from "../i18n/en/audit.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { Button } from "../ui/button.tsx"
import { Code, Facts, Time } from "../ui/data.tsx"
import { Dialog, DialogButtons } from "../ui/dialog.tsx"
import { Search } from "../ui/search.tsx"
import type { Column } from "../ui/table.tsx"
import { valuesText } from "./audit/valuesText.ts"

const Values = ({ values }: { readonly values: AuditRecord["before"] }) => {
  const { format } = useTexts(english)
  if (values === null) return <p>—</p>
  return (
    <pre className="json" tabIndex={0}>
      {valuesText(values, (iso) => `${format.time(iso)} (${format.zone})`)}
    </pre>
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
          [t.audit.actor, entry.actor],
          [t.audit.origin, entry.origin ?? "—"],
          [t.audit.action, <Code key="action">{entry.action}</Code>],
          [t.audit.target, entry.target ?? "—"],
          [t.word.reason, entry.reason ?? "—"],
        ]}
      />
      <div className="changes">
        <h3>{t.audit.before}</h3>
        <Values values={entry.before} />
        <h3>{t.audit.after}</h3>
        <Values values={entry.after} />
      </div>
      <DialogButtons>
        <Button onClick={onClose}>{t.action.close}</Button>
      </DialogButtons>
    </Dialog>
  )
}

const useColumns = (show: (entry: AuditRecord) => void): ReadonlyArray<Column<AuditRecord>> => {
  const { t } = useTexts(english)
  return [
    { key: "time", title: t.word.time, cell: ({ at }) => <Time iso={at} /> },
    { key: "actor", title: t.audit.actor, cell: ({ actor }) => actor },
    { key: "action", title: t.audit.action, cell: ({ action }) => <Code>{action}</Code> },
    {
      key: "target",
      title: t.audit.target,
      wide: true,
      cell: ({ target }) =>
        target === null ? (
          "—"
        ) : (
          <span className="clip" title={target}>
            <Code>{target}</Code>
          </span>
        ),
    },
    {
      key: "reason",
      title: t.word.reason,
      wide: true,
      fill: true,
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

const Audit = () => {
  const { t } = useTexts(english)
  const [shown, setShown] = useState<AuditRecord>()
  const { empty, intro, none, noneHint: more, title } = t.audit
  return (
    <>
      <Search
        path="audit"
        cursorName="before"
        texts={{ title, intro, empty, none, more }}
        filters={[
          { name: "actor", label: t.audit.actor, kind: "text" },
          { name: "action", label: t.audit.action, kind: "text" },
          { name: "target", label: t.audit.target, kind: "text" },
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
