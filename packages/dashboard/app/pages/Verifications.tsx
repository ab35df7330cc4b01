import { Link } from "wouter"
import type { FoundVerifications, ListedVerification } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization } from "../session.tsx"
import { Code, Time } from "../ui/data.tsx"
import { Search } from "../ui/search.tsx"
import { MessageBadge, VerificationBadge } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { optionsOf, useLogFilters } from "./messages/filters.ts"
import { TryItLink } from "./messages/TryItLink.tsx"
import { RefusedToNumber } from "./refused/ToNumber.tsx"

const useColumns = (): ReadonlyArray<Column<ListedVerification>> => {
  const { format, t } = useI18n()
  const { page } = useOrganization()
  return [
    {
      key: "phoneNumber",
      title: t.word.phoneNumber,
      cell: ({ phoneNumber, requestId }) => (
        <Link href={page(`verifications/${encodeURIComponent(requestId)}`)}>
          <Code>{phoneNumber}</Code>
        </Link>
      ),
    },
    {
      key: "status",
      title: t.word.status,
      cell: ({ failure, status }) => <VerificationBadge status={status} failure={failure} />,
    },
    {
      key: "delivery",
      title: t.verifications.delivery,
      cell: ({ delivery }) => (delivery === null ? "—" : <MessageBadge status={delivery} />),
    },
    { key: "time", title: t.word.time, cell: ({ createdAt }) => <Time iso={createdAt} /> },
    {
      key: "channel",
      title: t.word.channel,
      wide: true,
      line: 2,
      cell: ({ channel }) => t.channel[channel],
    },
    {
      key: "purpose",
      title: t.verifications.purpose,
      wide: true,
      cell: ({ purpose }) => purpose ?? "—",
    },
    {
      key: "attempts",
      title: t.verifications.attempts,
      wide: true,
      align: "end",
      cell: ({ attemptsRemaining }) => format.number(attemptsRemaining),
    },
    {
      key: "verified",
      title: t.verifications.verifiedAt,
      wide: true,
      cell: ({ verifiedAt }) => (verifiedAt === null ? "—" : <Time iso={verifiedAt} />),
    },
    {
      key: "request",
      title: t.verifications.request,
      extra: true,
      fill: true,
      cell: ({ requestId }) => (
        <span className="clip" title={requestId}>
          <Code>{requestId}</Code>
        </span>
      ),
    },
  ]
}

const Verifications = () => {
  const { t } = useI18n()
  return (
    <Search
      path="verifications"
      csv="verifications.csv"
      cursorName="cursor"
      liveEvents={["verification_sent"]}
      above={<RefusedToNumber />}
      texts={t.verifications}
      filters={[
        ...useLogFilters(t.verificationStatus),
        {
          name: "deliveries",
          label: t.verifications.delivery,
          kind: "select",
          options: optionsOf(t.messageStatus),
        },
        { name: "channel", label: t.word.channel, kind: "select", options: optionsOf(t.channel) },
        { name: "purpose", label: t.verifications.purpose, kind: "text" },
      ]}
      columns={useColumns()}
      rowsOf={({ verifications }: FoundVerifications) => verifications}
      rowKey={({ requestId }) => requestId}
    >
      <TryItLink />
    </Search>
  )
}

export default Verifications
