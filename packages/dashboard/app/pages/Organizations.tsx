import { lazy, Suspense, useState } from "react"
import { Link, useLocation, useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { OrganizationList, OrganizationSummary } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import { organizations as english } from "../i18n/en/organizations.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { CsvLink } from "../ui/CsvLink.tsx"
import { Badge, Code } from "../ui/data.tsx"
import { isFiltered } from "../ui/filterValues.ts"
import { Filters, useFilterValues } from "../ui/filters.tsx"
import { MoreMenu } from "../ui/MoreMenu.tsx"
import { Page } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Pager, Table } from "../ui/table.tsx"

// Most visits change nothing.
const Act = lazy(async () => ({ default: (await import("./organizations/dialogs.tsx")).Act }))
const Create = lazy(async () => ({ default: (await import("./organizations/dialogs.tsx")).Create }))

const pageSize = 50

const useColumns = (
  onAct: (organization: OrganizationSummary) => void,
): ReadonlyArray<Column<OrganizationSummary>> => {
  const { format, t } = useTexts(english)
  const { can, host } = useSession()
  const [, navigate] = useLocation()
  return [
    {
      key: "name",
      title: t.word.name,
      cell: ({ id, name }) => <Link href={`/org/${encodeURIComponent(id)}`}>{name}</Link>,
    },
    { key: "id", title: t.organizations.id, wide: true, cell: ({ id }) => <Code>{id}</Code> },
    {
      key: "balance",
      title: `${t.organizations.balance} (${host.currency})`,
      align: "end",
      cell: ({ balance }) => format.decimal(balance),
    },
    {
      key: "held",
      title: `${t.organizations.held} (${host.currency})`,
      align: "end",
      wide: true,
      cell: ({ held }) => format.decimal(held),
    },
    {
      key: "traffic",
      title: t.organizations.traffic,
      align: "end",
      wide: true,
      cell: ({ messagesLastDay }) => format.number(messagesLastDay),
    },
    {
      key: "keys",
      title: t.organizations.keys,
      align: "end",
      wide: true,
      cell: ({ activeApiKeys }) => format.number(activeApiKeys),
    },
    {
      key: "state",
      title: t.organizations.state,
      line: 1,
      cell: ({ hasDefaultSender, id, isSuspended, pendingSenders }) =>
        isSuspended ? (
          <Badge tone="bad">{t.organizations.suspended}</Badge>
        ) : hasDefaultSender && pendingSenders === 0 ? (
          <Badge tone="good">{t.organizations.active}</Badge>
        ) : (
          <Link href={`/org/${encodeURIComponent(id)}/senders`}>
            {!hasDefaultSender && <Badge tone="warn">{t.organizations.noSender}</Badge>}{" "}
            {pendingSenders > 0 && (
              <Badge tone="info">
                {format.plural(pendingSenders, {
                  one: t.organizations.pendingOne,
                  other: t.organizations.pendingOther,
                })}
              </Badge>
            )}
          </Link>
        ),
    },
    {
      key: "actions",
      title: t.word.actions,
      untitled: true,
      align: "end",
      cell: (organization) => {
        const { id, isSuspended, name } = organization
        const page = `/org/${encodeURIComponent(id)}`
        return (
          <MoreMenu
            label={fill(t.organizations.more, { name })}
            items={[
              { name: t.organizations.open, onChoose: () => navigate(page) },
              { name: t.nav.balance, onChoose: () => navigate(`${page}/balance`) },
              { name: t.nav.settings, onChoose: () => navigate(`${page}/settings`) },
              ...(can("organization.suspend")
                ? [
                    {
                      name: isSuspended ? t.organizations.resume : t.organizations.suspend,
                      onChoose: () => onAct(organization),
                    },
                  ]
                : []),
            ]}
          />
        )
      },
    },
  ]
}

const Organizations = () => {
  const { t } = useTexts(english)
  const { can } = useSession()
  const [search] = useSearchParams()
  const after = search.get("after")
  const filters = useFilterValues(["search", "order", "hasPendingSenders"])
  const query = useRead<OrganizationList>(
    withQuery("organizations", { ...filters, after, limit: pageSize }),
    { keep: true },
  )
  const [isCreating, setCreating] = useState(false)
  const [acting, setActing] = useState<OrganizationSummary>()
  const columns = useColumns(setActing)
  const actions = (
    <>
      <CsvLink path="organizations.csv" parameters={filters} />
      {can("organizations.create") && (
        <Button variant="primary" onClick={() => setCreating(true)}>
          {t.organizations.create}
        </Button>
      )}
    </>
  )
  return (
    <Page title={t.organizations.title} intro={t.organizations.intro} actions={actions}>
      <Filters
        filters={[
          { name: "search", label: t.organization.search, kind: "find" },
          {
            name: "order",
            label: t.organizations.sort,
            kind: "select",
            options: [{ value: "balance", label: t.organizations.byBalance }],
          },
          {
            name: "hasPendingSenders",
            label: t.organizations.state,
            kind: "select",
            options: [{ value: "true", label: t.organizations.waiting }],
          },
        ]}
        error={query.error}
        onRepeat={() => void query.refetch()}
      />
      <Loaded query={query} rows={10}>
        {({ next, organizations }) => (
          <>
            {organizations.length === 0 && isFiltered(filters) ? (
              <Empty title={t.organization.none} />
            ) : organizations.length === 0 ? (
              <Empty title={t.organizations.empty} hint={t.organizations.emptyHint} />
            ) : (
              <Table
                label={t.organizations.title}
                columns={columns}
                rows={organizations}
                rowKey={({ id }) => id}
              />
            )}
            <Pager name="after" next={next} />
          </>
        )}
      </Loaded>
      <Suspense fallback={null}>
        {isCreating && <Create onClose={() => setCreating(false)} />}
        {acting !== undefined && <Act organization={acting} onClose={() => setActing(undefined)} />}
      </Suspense>
    </Page>
  )
}

export default Organizations
