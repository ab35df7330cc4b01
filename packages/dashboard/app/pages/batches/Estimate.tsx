/** The messages and the price of a batch, before anything is sent. */
import type { EstimatedMany } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { batches as english } from "../../i18n/en/batches.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { useSession } from "../../session.tsx"
import { Code, Facts, Money } from "../../ui/data.tsx"
import { Section } from "../../ui/page.tsx"
import { Table } from "../../ui/table.tsx"
import type { Recipients } from "./recipients.ts"
import { refusedReason } from "./refusedReason.ts"
import { textFor } from "./textFor.ts"

const previewed = 10

const maxRefused = 100

interface Props {
  readonly file: Recipients
  readonly text: string
  readonly found: EstimatedMany
}

interface Row {
  readonly line: number
  readonly phoneNumber: string
  /** The text of its message, or the reason of its refusal. */
  readonly detail: string
}

interface RowsProps {
  readonly label: string
  readonly rows: ReadonlyArray<Row>
  /** The title of the details. */
  readonly title: string
}

const Rows = ({ label, rows, title }: RowsProps) => {
  const { format, t } = useTexts(english)
  return (
    <Table
      label={label}
      rows={rows}
      rowKey={({ line }) => line}
      columns={[
        { key: "row", title: t.newBatch.row, cell: ({ line }) => format.number(line) },
        {
          key: "number",
          title: t.word.phoneNumber,
          cell: ({ phoneNumber }) => <Code>{phoneNumber}</Code>,
        },
        {
          key: "detail",
          title,
          fill: true,
          cell: ({ detail }) => <span className="text">{detail}</span>,
        },
      ]}
    />
  )
}

const Preview = ({ file: { lines, recipients }, text }: Pick<Props, "file" | "text">) => {
  const { t } = useTexts(english)
  const rows = recipients.slice(0, previewed).map((recipient, index) => ({
    line: lines[index] ?? 0,
    phoneNumber: recipient.phoneNumber,
    detail: textFor(recipient, text),
  }))
  return (
    <Section title={t.newBatch.preview}>
      <Rows label={t.newBatch.preview} rows={rows} title={t.batches.text} />
    </Section>
  )
}

/** Rows of the file that get no message: those without all cells, and those that the service refuses. */
const Refused = ({ file: { lines, malformed }, found }: Pick<Props, "file" | "found">) => {
  const words = useTexts(english)
  const { format, t } = words
  const count = malformed.length + found.refused
  if (count === 0) return null
  const incomplete = malformed.map(({ cells, expected, line, phoneNumber }) => ({
    line,
    phoneNumber,
    detail: fill(t.newBatch.cells, {
      count: format.number(cells),
      expected: format.number(expected),
    }),
  }))
  const rest = found.refusedRows.map(({ phoneNumber, position, problems }) => ({
    line: lines[position - 1] ?? 0,
    phoneNumber,
    detail: refusedReason(problems, words),
  }))
  const rows = [...incomplete, ...rest].toSorted((a, b) => a.line - b.line).slice(0, maxRefused)
  return (
    <Section
      title={t.newBatch.refused}
      {...(rows.length < count
        ? {
            intro: fill(t.newBatch.moreRefused, {
              shown: format.number(rows.length),
              count: format.number(count),
            }),
          }
        : {})}
    >
      <Rows label={t.newBatch.refused} rows={rows} title={t.word.reason} />
    </Section>
  )
}

export const Estimate = ({ file, found, text }: Props) => {
  const { format, t } = useTexts(english)
  const { host } = useSession()
  const { balance, isCovered, price, segments } = found.estimate
  const money = (amount: string) => <Money amount={amount} currency={host.currency} />
  return (
    <>
      <Section title={t.batches.estimate}>
        {!isCovered && <p className="notice warn">{t.newBatch.notCovered}</p>}
        <Facts
          items={[
            [t.newBatch.price, money(price)],
            [t.newBatch.available, money(balance)],
            [t.batches.recipients, format.number(found.recipients)],
            [t.batches.segments, format.number(segments)],
            [t.batches.duplicates, format.number(found.duplicates)],
            [t.newBatch.refused, format.number(found.refused + file.malformed.length)],
          ]}
        />
      </Section>
      <Preview file={file} text={text} />
      <Refused file={file} found={found} />
    </>
  )
}
