import { Link, useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { FoundVerification, FoundVerifications } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useOrganization } from "../session.tsx"
import { Code, Time } from "../ui/data.tsx"
import { Filters, useFilterValues } from "../ui/filters.tsx"
import { Page } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { VerificationBadge } from "../ui/status.tsx"
import { type Column, Pager, Table } from "../ui/table.tsx"

const names = ["phoneNumber", "statuses", "from", "to"]

const useColumns = (): ReadonlyArray<Column<FoundVerification>> => {
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
      cell: ({ status }) => <VerificationBadge status={status} />,
    },
    { key: "time", title: t.word.time, cell: ({ createdAt }) => <Time iso={createdAt} /> },
    {
      key: "channel",
      title: t.word.channel,
      wide: true,
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
      wide: true,
      cell: ({ requestId }) => <Code>{requestId}</Code>,
    },
  ]
}

const Verifications = () => {
  const { t } = useI18n()
  const { api, page } = useOrganization()
  const [search] = useSearchParams()
  const values = useFilterValues(names)
  const cursor = search.get("cursor")
  const path = withQuery(api("verifications"), { ...values, cursor })
  const query = useRead<FoundVerifications>(path, { keep: true })
  const columns = useColumns()
  const isFiltered = Object.values(values).some((value) => value !== null)
  const statuses = Object.entries(t.verificationStatus).map(([value, label]) => ({ value, label }))
  return (
    <Page title={t.verifications.title} intro={t.verifications.intro}>
      <Filters
        error={query.error}
        filters={[
          { name: "phoneNumber", label: t.word.phoneNumber, kind: "number" },
          { name: "statuses", label: t.word.status, kind: "select", options: statuses },
          { name: "from", label: t.word.from, kind: "time" },
          { name: "to", label: t.word.to, kind: "time" },
        ]}
      />
      <Loaded query={query} fields={names}>
        {({ next, verifications }) => (
          <>
            {verifications.length > 0 ? (
              <Table
                label={t.verifications.title}
                hasTimes
                columns={columns}
                rows={verifications}
                rowKey={({ requestId }) => requestId}
              />
            ) : isFiltered || cursor !== null ? (
              <Empty
                title={t.verifications.none}
                hint={next === null ? t.verifications.noneHint : t.verifications.more}
              />
            ) : (
              <Empty title={t.verifications.empty} hint={t.verifications.emptyHint}>
                <Link className="button" href={page("try-it")}>
                  {t.nav.tryIt}
                </Link>
              </Empty>
            )}
            <Pager next={next} busy={query.isPlaceholderData} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

export default Verifications
