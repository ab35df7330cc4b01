import { Link, useLocation } from "wouter"
import type { OperationName } from "../generated/operationNames.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { OrganizationSwitch } from "./OrganizationSwitch.tsx"
import { Icon, type IconName } from "../ui/icons.tsx"

interface Entry {
  readonly name: IconName & keyof ReturnType<typeof useI18n>["t"]["nav"]
  readonly path: string
  /** The operation that its page calls. */
  readonly needs: OperationName
}

const groups = [
  {
    title: "groupTraffic",
    entries: [
      { name: "overview", path: "", needs: "messages.search" },
      { name: "verifications", path: "/verifications", needs: "verifications.search" },
      { name: "messages", path: "/messages", needs: "messages.search" },
      { name: "batches", path: "/batches", needs: "batches.list" },
      { name: "refusals", path: "/refusals", needs: "records.refusals" },
    ],
  },
  {
    title: "groupMoney",
    entries: [
      { name: "balance", path: "/balance", needs: "account.balance" },
      { name: "fraud", path: "/fraud", needs: "fraud.findings" },
    ],
  },
  {
    title: "groupDevelopers",
    entries: [
      { name: "tryIt", path: "/try-it", needs: "messages.search" },
      { name: "apiKeys", path: "/api-keys", needs: "apiKeys.list" },
      { name: "webhooks", path: "/webhooks", needs: "webhooks.list" },
    ],
  },
  {
    title: "groupSetup",
    entries: [
      { name: "senders", path: "/senders", needs: "brands.list" },
      { name: "settings", path: "/settings", needs: "optOuts.check" },
      { name: "audit", path: "/audit", needs: "records.audit" },
    ],
  },
] as const satisfies ReadonlyArray<{
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}>

const operatorEntries = [
  { name: "organizations", path: "/organizations", needs: "organizations.list" },
  { name: "gateways", path: "/gateways", needs: "host.gateways" },
] as const satisfies ReadonlyArray<Entry>

interface GroupProps {
  readonly title: string
  readonly base: string
  readonly entries: ReadonlyArray<Entry>
  readonly className?: string
}

const Group = ({ base, className, entries: all, title }: GroupProps) => {
  const { t } = useI18n()
  const { can } = useSession()
  const [path] = useLocation()
  // A deep link may end with a slash.
  const location = path.replace(/\/$/, "")
  const isCurrent = (href: string, page: string): boolean =>
    page === "" ? location === href : location === href || location.startsWith(`${href}/`)
  const entries = all.filter(({ needs }) => can(needs))
  if (entries.length === 0) return null
  return (
    <li className={className}>
      <p className="nav-title">{title}</p>
      <ul>
        {entries.map(({ name, path }) => {
          const href = `${base}${path}`
          return (
            <li key={name}>
              <Link
                href={href}
                className="nav-link"
                aria-current={isCurrent(href, path) ? "page" : undefined}
              >
                <Icon name={name} />
                {t.nav[name]}
              </Link>
            </li>
          )
        })}
      </ul>
    </li>
  )
}

export const Navigation = ({ organization }: { readonly organization: string | undefined }) => {
  const { t } = useI18n()
  const { isOperator } = useSession()
  return (
    <>
      <OrganizationSwitch organization={organization} />
      <nav aria-label={t.nav.label}>
        <ul className="nav">
          {organization !== undefined &&
            groups.map(({ entries, title }) => (
              <Group
                key={title}
                title={t.nav[title]}
                base={`/org/${encodeURIComponent(organization)}`}
                entries={entries}
              />
            ))}
          {isOperator && (
            <Group
              title={t.nav.groupOperator}
              base=""
              entries={operatorEntries}
              className="nav-service"
            />
          )}
        </ul>
      </nav>
    </>
  )
}
