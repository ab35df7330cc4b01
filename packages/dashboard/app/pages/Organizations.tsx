import { useState } from "react"
import { Link, useSearchParams } from "wouter"
import { useRead, withQuery } from "../api/client.ts"
import type { OrganizationList, OrganizationSummary } from "../api/types.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Button } from "../ui/button.tsx"
import { Badge, Code } from "../ui/data.tsx"
import { isFiltered } from "../ui/filterValues.ts"
import { Filters, useFilterValues } from "../ui/filters.tsx"
import { onDemand } from "../ui/onDemand.tsx"
import { Page } from "../ui/page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { type Column, Pager, Table } from "../ui/table.tsx"

const pageSize = 50

const useColumns = (
  onAct: (organization: OrganizationSummary) => void,
): ReadonlyArray<Column<OrganizationSummary>> => {
  const { format, t } = useI18n()
  const { can, host } = useSession()
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
      cell: ({ hasDefaultSender, id, isSuspended }) =>
        isSuspended ? (
          <Badge tone="bad">{t.organizations.suspended}</Badge>
        ) : hasDefaultSender ? (
          <Badge tone="good">{t.organizations.active}</Badge>
        ) : (
          <Link href={`/org/${encodeURIComponent(id)}/senders`}>
            <Badge tone="warn">{t.organizations.noSender}</Badge>
          </Link>
        ),
    },
    {
      key: "actions",
      title: t.word.actions,
      untitled: true,
      align: "end",
      cell: (organization) =>
        can("organization.suspend") && (
          <Button className="small" onClick={() => onAct(organization)}>
            {organization.isSuspended ? t.organizations.resume : t.organizations.suspend}
          </Button>
        ),
    },
  ]
}

const CreateOrganization = onDemand(() =>
  import("./organizations/actions.tsx").then((all) => all.CreateOrganization),
)

const ChangeState = onDemand(() =>
  import("./organizations/actions.tsx").then((all) => all.ChangeState),
)

const Organizations = () => {
  const { t } = useI18n()
  const { can } = useSession()
  const [search] = useSearchParams()
  const after = search.get("after")
  const filters = useFilterValues(["search"])
  const query = useRead<OrganizationList>(
    withQuery("organizations", { ...filters, after, limit: pageSize }),
    { keep: true },
  )
  const [isCreating, setCreating] = useState(false)
  const [acting, setActing] = useState<OrganizationSummary>()
  const columns = useColumns(setActing)
  const create = can("organizations.create") && (
    <Button variant="primary" onClick={() => setCreating(true)}>
      {t.organizations.create}
    </Button>
  )
  return (
    <Page title={t.organizations.title} intro={t.organizations.intro} actions={create}>
      <Filters
        filters={[{ name: "search", label: t.organization.search, kind: "find" }]}
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
      {isCreating && <CreateOrganization onClose={() => setCreating(false)} />}
      {acting !== undefined && (
        <ChangeState organization={acting} onClose={() => setActing(undefined)} />
      )}
    </Page>
  )
}

export default Organizations
