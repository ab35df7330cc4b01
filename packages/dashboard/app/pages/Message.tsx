import { Link, useParams } from "wouter"
import { useRead } from "../api/client.ts"
import type { MessageHistory, MessageReport } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization, useSession } from "../session.tsx"
import { Badge, Code, Facts, Money, Time } from "../ui/data.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { MessageBadge, messageTones } from "../ui/status.tsx"
import { Table } from "../ui/table.tsx"
import { Timeline } from "../ui/timeline.tsx"
import { MessageVerdict } from "../ui/verdict.tsx"

const Reports = ({ reports }: { readonly reports: ReadonlyArray<MessageReport> }) => {
  const { t } = useI18n()
  const { format } = useI18n()
  if (reports.length === 0) return <Empty title={t.messages.noReports} />
  return (
    <Table
      label={t.messages.reports}
      hasTimes
      rows={reports}
      rowKey={({ position }) => position}
      columns={[
        { key: "no", title: t.messages.position, cell: ({ position }) => format.number(position) },
        {
          key: "at",
          title: t.messages.received,
          cell: ({ receivedAt }) => <Time iso={receivedAt} />,
        },
        {
          key: "status",
          title: t.messages.report,
          cell: ({ status }) => <Badge tone={messageTones[status]}>{t.reportStatus[status]}</Badge>,
        },
        {
          key: "detail",
          title: t.word.reason,
          cell: ({ detail }) => <span className="text">{detail}</span>,
        },
        { key: "gateway", title: t.word.gateway, wide: true, cell: ({ gateway }) => gateway },
        {
          key: "evidence",
          title: t.messages.evidence,
          cell: ({ evidence }) =>
            evidence !== null && (
              <details>
                <summary>{t.messages.evidence}</summary>
                <code className="evidence">{evidence}</code>
              </details>
            ),
        },
      ]}
    />
  )
}

/** The meaning of the error's code, and what to do about it. */
const Advice = ({ meaning, message }: Pick<MessageHistory, "meaning" | "message">) => {
  const { t } = useI18n()
  const { failureReason, vendorCode } = message
  if (failureReason === null) return null
  return (
    <Section title={t.messages.todo}>
      {vendorCode !== null && meaning !== null && (
        <p>
          {fill(t.messages.codeMeans, { code: vendorCode })}: <span lang="en">{meaning}.</span>
        </p>
      )}
      <p>{t.failureTodo[failureReason]}</p>
    </Section>
  )
}

const MessageFacts = ({ message }: Pick<MessageHistory, "message">) => {
  const { t } = useI18n()
  const { host, isOperator } = useSession()
  const { page } = useOrganization()
  const { requestId } = message
  return (
    <Facts
      items={[
        [t.word.status, <MessageBadge key="status" status={message.status} />],
        [t.word.phoneNumber, <Code key="number">{message.phoneNumber}</Code>],
        [t.word.created, <Time key="created" iso={message.createdAt} />],
        [t.word.channel, t.channel[message.channel]],
        [t.messages.sender, message.sender],
        [t.messages.price, <Money key="price" amount={message.price} currency={host.currency} />],
        [
          t.word.gateway,
          isOperator ? (
            <Link key="gateway" href={`/gateways/${encodeURIComponent(message.gateway)}`}>
              {message.gateway}
            </Link>
          ) : (
            message.gateway
          ),
        ],
        [
          t.messages.gatewayId,
          message.gatewayId === null ? "—" : <Code key="id">{message.gatewayId}</Code>,
        ],
        ...(message.failureReason === null
          ? []
          : [[t.messages.failureReason, t.failureReason[message.failureReason]] as const]),
        ...(message.vendorCode === null
          ? []
          : [[t.messages.vendorCode, <Code key="code">{message.vendorCode}</Code>] as const]),
        [t.messages.sequence, <Code key="sequence">{message.sequence}</Code>],
        [
          t.messages.request,
          requestId === null ? (
            "—"
          ) : (
            <Link key="request" href={page(`verifications/${encodeURIComponent(requestId)}`)}>
              <Code>{requestId}</Code>
            </Link>
          ),
        ],
        [
          t.messages.text,
          <span key="text" className="text">
            {message.text === "" ? t.messages.erased : message.text}
          </span>,
        ],
      ]}
    />
  )
}

const Message = () => {
  const { t } = useI18n()
  const { api, page } = useOrganization()
  const { id = "" } = useParams<{ id: string }>()
  const query = useRead<MessageHistory>(api(`messages/${encodeURIComponent(id)}`))
  const number = query.data?.message.phoneNumber
  return (
    <Page
      title={number === undefined ? t.messages.detail : `${t.messages.detail} · ${number}`}
      up={{ href: page("messages"), title: t.messages.title }}
    >
      <Loaded query={query}>
        {(history) => (
          <>
            <MessageVerdict {...history} />
            <Advice {...history} />
            <MessageFacts message={history.message} />
            <Section title={t.timeline.title}>
              <Timeline entries={history.timeline} />
            </Section>
            <Section title={t.messages.reports} intro={t.messages.reportsIntro}>
              <Reports reports={history.reports} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

export default Message
