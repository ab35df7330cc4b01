/** The hits of a search, by kind. A single hit opens at once. */
import type { ReactNode } from "react"
import { Link, Redirect, useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { OrganizationList, SearchHits } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { apiKeys } from "../i18n/en/apiKeys.ts"
import { found } from "../i18n/en/found.ts"
import { organizations } from "../i18n/en/organizations.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Badge, Code, Time } from "../ui/data.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Empty, Failure, Loading } from "../ui/states.tsx"
import {
  isMessageStatus,
  isVerificationState,
  MessageBadge,
  VerificationBadge,
} from "../ui/status.tsx"
import { Table } from "../ui/table.tsx"
import { type Group, groupsOf, type Hit, pathOf } from "./search/hits.ts"

const english = { ...apiKeys, ...found, ...organizations }

const Status = ({ hit: { kind, status } }: { readonly hit: Hit }) => {
  const { t } = useTexts(english)
  if (status === null) return "—"
  if (kind === "message" && isMessageStatus(status)) return <MessageBadge status={status} />
  if (kind === "verification" && isVerificationState(status))
    return <VerificationBadge status={status} />
  return <Badge tone="neutral">{t.apiKeys.revoked}</Badge>
}

interface HitsProps {
  readonly group: Group
  readonly base: string
}

const Hits = ({ base, group: { hits, kind } }: HitsProps) => {
  const { t } = useTexts(english)
  return (
    <Section title={t.found.kinds[kind]}>
      <Table
        label={t.found.kinds[kind]}
        rows={hits}
        rowKey={({ id }) => id}
        columns={[
          {
            key: "label",
            title: t.word.name,
            cell: (hit) => (
              <Link href={`${base}/${pathOf(hit)}`}>
                <Code>{hit.label}</Code>
              </Link>
            ),
          },
          {
            key: "status",
            title: t.word.status,
            cell: (hit) => (hit.status === null ? "—" : <Status hit={hit} />),
          },
          {
            key: "time",
            title: t.word.time,
            cell: ({ at }) => (at === null ? "—" : <Time iso={at} />),
          },
          { key: "id", title: t.word.id, wide: true, cell: ({ id }) => <Code>{id}</Code> },
        ]}
      />
    </Section>
  )
}

/** Leads from a phone number to its lists. */
const ListsOf = ({
  base,
  phoneNumber,
}: {
  readonly base: string
  readonly phoneNumber: string
}) => {
  const { t } = useTexts(english)
  const link = (path: string, text: string): ReactNode => (
    <Link className="button" href={`${base}/${withQuery(path, { phoneNumber })}`}>
      {text}
    </Link>
  )
  return (
    <p className="page-actions">
      {link("verifications", t.found.allVerifications)}
      {link("messages", t.found.allMessages)}
    </p>
  )
}

/** Without an organization, an operator searches for organizations only. */
const SearchResults = ({ organization }: { readonly organization?: string }) => {
  const { t } = useTexts(english)
  const { isOperator } = useSession()
  const [search] = useSearchParams()
  const query = search.get("query") ?? ""
  const base = `/org/${encodeURIComponent(organization ?? "")}`
  const own = useRead<SearchHits>(
    withQuery(`organizations/${encodeURIComponent(organization ?? "")}/search`, { query }),
    { enabled: organization !== undefined && query !== "" },
  )
  const isNumber = /^\+\d+$/.test(query)
  const named = useRead<OrganizationList>(
    withQuery("organizations", { search: query, limit: 20 }),
    { enabled: isOperator && query !== "" && !isNumber },
  )
  const error = own.error ?? named.error
  const title = t.found.title
  const intro = fill(t.found.intro, { query })
  if (error !== null)
    return (
      <Page title={title} intro={intro}>
        <Failure
          error={error}
          onRetry={() => {
            void own.refetch()
            void named.refetch()
          }}
        />
      </Page>
    )
  if (own.isLoading || named.isLoading)
    return (
      <Page title={title} intro={intro}>
        <Loading rows={6} />
      </Page>
    )
  const groups = groupsOf(own.data?.hits ?? [])
  const organizations = named.data?.organizations ?? []
  const [hit] = groups.flatMap(({ hits }) => hits)
  const [found] = organizations
  const count = groups.reduce((sum, { hits }) => sum + hits.length, 0) + organizations.length
  if (count === 1 && hit !== undefined) return <Redirect to={`${base}/${pathOf(hit)}`} replace />
  if (count === 1 && found !== undefined)
    return <Redirect to={`/org/${encodeURIComponent(found.id)}`} replace />
  return (
    <Page title={title} intro={intro}>
      {count === 0 && <Empty title={t.found.none} hint={t.found.noneHint} />}
      {isNumber && organization !== undefined && <ListsOf base={base} phoneNumber={query} />}
      {groups.map((group) => (
        <Hits key={group.kind} base={base} group={group} />
      ))}
      {organizations.length > 0 && (
        <Section title={t.found.organizations}>
          <Table
            label={t.found.organizations}
            rows={organizations}
            rowKey={({ id }) => id}
            columns={[
              {
                key: "name",
                title: t.word.name,
                cell: ({ id, name }) => <Link href={`/org/${encodeURIComponent(id)}`}>{name}</Link>,
              },
              {
                key: "state",
                title: t.word.status,
                cell: ({ isSuspended }) =>
                  isSuspended && <Badge tone="bad">{t.organizations.suspended}</Badge>,
              },
              { key: "id", title: t.word.id, line: 2, cell: ({ id }) => <Code>{id}</Code> },
            ]}
          />
        </Section>
      )}
    </Page>
  )
}

export default SearchResults
