import { Link } from "wouter"
import { withQuery } from "../../api/client.ts"
import { useI18n } from "../../i18n/i18n.tsx"
import { useOrganization } from "../../session.tsx"
import { Badge } from "../../ui/data.tsx"
import { Section } from "../../ui/page.tsx"
import { Empty } from "../../ui/states.tsx"
import { messageTones } from "../../ui/status.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { fill } from "../../i18n/dictionary.ts"
import { causeText } from "../refused/causes.ts"
import type { ChannelRow, Delay, Figures } from "./figures.ts"

const outcomes = [
  "delivered",
  "accepted",
  "pending",
  "undelivered",
  "failed",
  "rejected",
  "unknown",
] as const

/** A share as a bar beside its number, which says the same. */
const Bar = ({ share }: { readonly share: number }) => (
  <svg className="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect className="bar-back" width="100" height="8" />
    <rect className="bar-front" width={Math.max(0, Math.min(100, share * 100))} height="8" />
  </svg>
)

export const Channels = ({ channels }: Pick<Figures, "channels">) => {
  const { format, t } = useI18n()
  const shown = outcomes.filter((outcome) => channels.some(({ counts }) => counts.has(outcome)))
  const columns: ReadonlyArray<Column<ChannelRow>> = [
    {
      key: "channel",
      title: t.word.channel,
      cell: ({ channel }) => <strong>{t.channel[channel]}</strong>,
    },
    { key: "all", title: t.word.total, align: "end", cell: ({ all }) => format.number(all) },
    ...shown.map((outcome) => ({
      key: outcome,
      title: t.messageStatus[outcome],
      align: "end" as const,
      cell: ({ all, counts }: ChannelRow) => {
        const count = counts.get(outcome) ?? 0
        return (
          <span className="count">
            <span>{format.number(count)}</span>{" "}
            <span className="of muted">{format.percent(count / all)}</span>
          </span>
        )
      },
    })),
  ]
  return (
    <Section title={t.overview.channels}>
      <Table
        label={t.overview.channels}
        columns={columns}
        rows={channels}
        rowKey={({ channel }) => channel}
      />
    </Section>
  )
}

export const Failures = ({ failures, withOutcome }: Pick<Figures, "failures" | "withOutcome">) => {
  const { format, t } = useI18n()
  return (
    <Section title={t.overview.failures}>
      {failures.length === 0 ? (
        <Empty title={t.overview.failuresEmpty} />
      ) : (
        <Table
          label={t.overview.failures}
          rows={failures}
          rowKey={({ gateway, outcome }) => `${outcome} ${gateway}`}
          columns={[
            {
              key: "reason",
              title: t.word.reason,
              cell: ({ outcome }) => (
                <Badge tone={messageTones[outcome]}>{t.messageStatus[outcome]}</Badge>
              ),
            },
            { key: "gateway", title: t.word.gateway, cell: ({ gateway }) => gateway || "—" },
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
                  <Bar share={count / withOutcome} />
                  {format.percent(count / withOutcome)}
                </span>
              ),
            },
          ]}
        />
      )}
    </Section>
  )
}

/** Refused calls, which no message and no verification tells of. Nothing if there are none. */
export const Refused = ({ refused }: Pick<Figures, "refused">) => {
  const { format, t } = useI18n()
  const { page } = useOrganization()
  const all = refused.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return null
  return (
    <Section title={t.refused.byCause}>
      <Table
        label={t.refused.byCause}
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

export const Delays = ({ delays }: Pick<Figures, "delays">) => {
  const { format, t } = useI18n()
  const text = useDelayText()
  const all = delays.reduce((count, delay) => count + delay.count, 0)
  return (
    <Section title={t.overview.times}>
      {delays.length === 0 ? (
        <Empty title={t.overview.timesEmpty} />
      ) : (
        <Table
          label={t.overview.times}
          rows={delays}
          rowKey={({ below }) => below ?? "more"}
          columns={[
            { key: "time", title: t.overview.deliveryTime, cell: text },
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
          ]}
        />
      )}
    </Section>
  )
}
