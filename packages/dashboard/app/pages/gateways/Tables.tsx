/** The errors and the pauses of a gateway, and its state on each node. */
import { Link } from "wouter"
import type { GatewayActivity, GatewayPause } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import { activity } from "../../i18n/en/activity.ts"
import { gateways } from "../../i18n/en/gateways.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { Code, Time } from "../../ui/data.tsx"
import { Section } from "../../ui/page.tsx"
import { Empty } from "../../ui/states.tsx"
import { Table } from "../../ui/table.tsx"
import { GatewayBadge } from "./GatewayBadge.tsx"

const english = { ...activity, ...gateways }

export const Errors = ({ errors }: Pick<GatewayActivity, "errors">) => {
  const { format, t } = useTexts(english)
  const text = t.activity
  return (
    <Section title={text.errors}>
      {errors.length === 0 ? (
        <Empty title={text.noErrors} />
      ) : (
        <Table
          label={text.errorTable}
          hasTimes
          rows={errors}
          rowKey={({ reason, vendorCode }) => `${reason} ${vendorCode ?? ""}`}
          columns={[
            {
              key: "code",
              title: text.code,
              cell: ({ vendorCode }) => (vendorCode === null ? "—" : <Code>{vendorCode}</Code>),
            },
            {
              key: "meaning",
              title: text.meaning,
              fill: true,
              cell: ({ meaning, reason }) => (
                <span className="text">
                  {meaning !== null && <span lang="en">{meaning}. </span>}
                  {t.failureReason[reason]}
                </span>
              ),
            },
            {
              key: "count",
              title: text.count,
              align: "end",
              cell: ({ count }) => format.number(count),
            },
            {
              key: "last",
              title: text.last,
              cell: ({ last }) => (
                <Link
                  href={`/org/${encodeURIComponent(last.organization)}/messages/${last.sequence}`}
                >
                  <Time iso={last.at} />
                </Link>
              ),
            },
          ]}
        />
      )}
    </Section>
  )
}

export const Pauses = ({ pauses }: Pick<GatewayActivity, "pauses">) => {
  const { format, t } = useTexts(english)
  const text = t.activity
  const movedText = ({ moved }: GatewayPause): string => {
    const all = Object.entries(moved)
    return all.length === 0
      ? text.noneMoved
      : format.list(
          all.map(([gateway, count]) =>
            fill(text.movedTo, { count: format.number(count), gateway }),
          ),
        )
  }
  return (
    <Section title={text.pauses}>
      {pauses.length === 0 ? (
        <Empty title={text.noPauses} />
      ) : (
        <Table
          label={text.pauseTable}
          hasTimes
          rows={pauses}
          rowKey={({ from, node }) => `${node} ${from}`}
          columns={[
            { key: "from", title: text.pauseFrom, cell: ({ from }) => <Time iso={from} /> },
            {
              key: "to",
              title: text.pauseTo,
              cell: ({ to }) => (to === null ? text.goesOn : <Time iso={to} />),
            },
            {
              key: "state",
              title: t.gateways.state,
              cell: ({ state }) => <GatewayBadge state={state} />,
            },
            {
              key: "reason",
              title: t.word.reason,
              wide: true,
              cell: ({ reason }) => <span className="text">{reason ?? "—"}</span>,
            },
            { key: "moved", title: text.countChart, cell: movedText },
            { key: "node", title: text.node, wide: true, cell: ({ node }) => <Code>{node}</Code> },
          ]}
        />
      )}
    </Section>
  )
}

export const Nodes = ({ nodes }: Pick<GatewayActivity, "nodes">) => {
  const { t } = useTexts(english)
  const text = t.activity
  return (
    <Section title={text.nodes}>
      {nodes.length === 0 ? (
        <Empty title={text.noNodes} />
      ) : (
        <Table
          label={text.nodeTable}
          hasTimes
          rows={nodes}
          rowKey={({ node }) => node}
          columns={[
            {
              key: "node",
              title: text.node,
              cell: ({ isHere, node }) => (
                <>
                  <Code>{node}</Code>
                  {isHere && <span className="muted"> {text.thisNode}</span>}
                </>
              ),
            },
            {
              key: "state",
              title: t.gateways.state,
              cell: ({ state }) => <GatewayBadge state={state} />,
            },
            { key: "since", title: text.since, cell: ({ since }) => <Time iso={since} /> },
            {
              key: "retry",
              title: text.retryAt,
              cell: ({ retryAt }) => (retryAt === null ? "—" : <Time iso={retryAt} />),
            },
            {
              key: "reason",
              title: t.word.reason,
              wide: true,
              cell: ({ reason }) => <span className="text">{reason ?? "—"}</span>,
            },
            {
              key: "seen",
              title: text.seenAt,
              wide: true,
              cell: ({ seenAt }) => <Time iso={seenAt} />,
            },
          ]}
        />
      )}
    </Section>
  )
}
