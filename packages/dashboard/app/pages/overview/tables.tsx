import { Link, useSearchParams } from "wouter"
import { withQuery } from "../../api/client.ts"
import type { Total } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Section } from "../../ui/page.tsx"
import { Empty } from "../../ui/states.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { Toggle } from "../../ui/toggle.tsx"
import { causeText } from "../refused/causes.ts"
import {
  causes,
  type Cause,
  type Delay,
  failuresBy,
  type Figures,
  type Period,
  quantileOf,
} from "./figures.ts"

/** A share as a bar beside its number, which says the same. */
export const Bar = ({ share }: { readonly share: number }) => (
  <svg className="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect className="bar-back" width="100" height="8" />
    <rect className="bar-front" width={Math.max(0, Math.min(100, share * 100))} height="8" />
  </svg>
)

/** A count, and its share of all. */
const useCountColumns = () => {
  const { format, t } = useI18n()
  return (all: number): ReadonlyArray<Column<{ readonly count: number }>> => [
    {
      key: "count",
      title: t.overview.count,
      align: "end",
      cell: ({ count }) => format.number(count),
    },
    {
      key: "share",
      title: t.overview.share,
      align: "end",
      cell: ({ count }) => (
        <span className="share">
          <Bar share={count / all} />
          {format.percent(count / all)}
        </span>
      ),
    },
  ]
}

interface FailedProps {
  readonly totals: ReadonlyArray<Total>
  readonly before: ReadonlyArray<Total>
  readonly period: Period
}

/** The address has the dimension by which failures are divided. */
const useCause = (): readonly [Cause, (cause: string) => void] => {
  const [search, setSearch] = useSearchParams()
  const cause = causes.find((one) => one === search.get("by")) ?? "reason"
  const choose = (next: string) =>
    setSearch(
      (old) => {
        const changed = new URLSearchParams(old)
        changed.set("by", next)
        return changed
      },
      { replace: true },
    )
  return [cause, choose]
}

/** Failed messages, by what the reader chooses. */
export const Failed = ({ before, period, totals }: FailedProps) => {
  const { format, locale, t } = useI18n()
  const countColumns = useCountColumns()
  const [cause, choose] = useCause()
  const rows = failuresBy(cause, totals, before, period)
  const all = rows.reduce((sum, { count }) => sum + count, 0)
  const reasons: Readonly<Record<string, string>> = t.failureReason
  const countries = new Intl.DisplayNames(locale === "bn" ? "bn-BD" : "en", { type: "region" })
  const nameOf = (value: string): string => {
    if (value === "") return t.overview.unknown
    if (cause === "reason") return (reasons[value] ?? value).replace(/[.।]$/, "")
    return cause === "country" ? (countries.of(value) ?? value) : value
  }
  const change = (now: number, then: number): string => {
    if (now === then) return "0"
    return now > then ? `+${format.number(now - then)}` : `−${format.number(then - now)}`
  }
  const toggle = (
    <Toggle
      label={t.overview.failedBy}
      value={cause}
      onChange={choose}
      options={causes.map((value) => ({ value, label: t.overview.causes[value] }))}
    />
  )
  return (
    <Section title={t.overview.failed} actions={toggle}>
      {rows.length === 0 ? (
        <Empty title={t.overview.failuresEmpty} />
      ) : (
        <Table
          label={t.overview.failed}
          rows={rows}
          rowKey={({ value }) => value}
          columns={[
            {
              key: "value",
              title: t.overview.causes[cause],
              cell: ({ value }) => nameOf(value),
            },
            ...countColumns(all),
            {
              key: "change",
              title: t.overview.changeTitle,
              align: "end",
              cell: ({ before: then, whole }) => change(whole, then),
            },
          ]}
        />
      )}
    </Section>
  )
}

interface BarsProps {
  readonly title: string
  readonly note?: string
  readonly rows: ReadonlyArray<{
    readonly name: string
    readonly count: number
    /** Of the whole length. */
    readonly share: number
    readonly text: string
  }>
}

/** Columns of a chart in HTML: a name, a bar and its number. */
const Bars = ({ note, rows, title }: BarsProps) => {
  const { format } = useI18n()
  return (
    <figure className="chart" aria-label={title}>
      <figcaption>{title}</figcaption>
      <table className="bars">
        <caption className="visually-hidden">{title}</caption>
        <tbody>
          {rows.map(({ count, name, share, text }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="bars-bar">
                <Bar share={share} />
              </td>
              <td className="end">{format.number(count)}</td>
              <td className="end muted">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {note !== undefined && <p className="table-note">{note}</p>}
    </figure>
  )
}

/** Where codes end: each stage is a part of the one before. */
export const Funnel = ({
  figures: { arrived, opened, verified },
}: {
  readonly figures: Figures
}) => {
  const { format, t } = useI18n()
  const longest = Math.max(1, opened, arrived)
  const stages = [
    { name: t.overview.opened, count: opened },
    { name: t.overview.arrived, count: arrived },
    { name: t.overview.verified, count: verified.part },
  ]
  return (
    <Bars
      title={t.overview.funnel}
      note={t.overview.funnelNote}
      rows={stages.map((stage) => ({
        ...stage,
        share: stage.count / longest,
        text: opened === 0 ? "—" : format.percent(stage.count / opened),
      }))}
    />
  )
}

/** Refused calls, which appear in no message and no verification. Nothing without refused calls. */
export const Refused = ({ refused }: Pick<Figures, "refused">) => {
  const { t } = useI18n()
  const { page } = useOrganization()
  const countColumns = useCountColumns()
  const all = refused.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return null
  return (
    <Section title={t.overview.refused}>
      <Table
        label={t.overview.refused}
        rows={refused}
        rowKey={({ code, reason }) => `${code} ${reason}`}
        columns={[
          {
            key: "cause",
            title: t.refused.cause,
            cell: (cause) => (
              <Link href={page(withQuery("refusals", { codes: cause.code }))}>
                {causeText(cause, t)}
              </Link>
            ),
          },
          ...countColumns(all),
        ]}
      />
    </Section>
  )
}

/** A delivery time in words. */
export const useDelayText = (): ((delay: Delay) => string) => {
  const { locale, t } = useI18n()
  return ({ below }) => {
    if (below === undefined) return t.overview.more
    const [value, unit] =
      below % 60 === 0 ? ([below / 60, "minute"] as const) : ([below, "second"] as const)
    const options = { style: "unit", unit, unitDisplay: "short" } as const
    const tag = locale === "bn" ? "bn-BD" : "en"
    return fill(t.overview.under, { time: new Intl.NumberFormat(tag, options).format(value) })
  }
}

/** How long deliveries took, and below which bounds half and nearly all of them lie. */
export const Delays = ({ delays }: Pick<Figures, "delays">) => {
  const { format, t } = useI18n()
  const text = useDelayText()
  const all = delays.reduce((count, delay) => count + delay.count, 0)
  if (all === 0)
    return (
      <figure className="chart">
        <figcaption>{t.overview.times}</figcaption>
        <Empty title={t.overview.timesEmpty} />
      </figure>
    )
  const bound = (share: number): string => {
    const found = quantileOf(delays, share)
    return found === undefined ? "—" : text(found)
  }
  return (
    <Bars
      title={t.overview.times}
      note={fill(t.overview.quantiles, { p50: bound(0.5), p95: bound(0.95) })}
      rows={delays.map((delay) => ({
        name: text(delay),
        count: delay.count,
        share: delay.count / Math.max(...delays.map(({ count }) => count)),
        text: format.percent(delay.count / all),
      }))}
    />
  )
}
