import { Link, useLocation } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Icon, type IconName } from "../ui/icons.tsx"

interface Entry {
  readonly name: IconName & keyof ReturnType<typeof useI18n>["t"]["nav"]
  readonly path: string
}

const groups = [
  {
    title: "groupTraffic",
    entries: [
      { name: "overview", path: "" },
      { name: "messages", path: "/messages" },
      { name: "verifications", path: "/verifications" },
      { name: "batches", path: "/batches" },
      { name: "refusals", path: "/refusals" },
      { name: "tryIt", path: "/try-it" },
    ],
  },
  {
    title: "groupMoney",
    entries: [
      { name: "balance", path: "/balance" },
      { name: "fraud", path: "/fraud" },
    ],
  },
  {
    title: "groupSetup",
    entries: [
      { name: "apiKeys", path: "/api-keys" },
      { name: "senders", path: "/senders" },
      { name: "webhooks", path: "/webhooks" },
      { name: "settings", path: "/settings" },
      { name: "audit", path: "/audit" },
    ],
  },
] as const satisfies ReadonlyArray<{
  readonly title: string
  readonly entries: ReadonlyArray<Entry>
}>

const operatorEntries = [
  { name: "gateways", path: "/gateways" },
  { name: "organizations", path: "/organizations" },
] as const satisfies ReadonlyArray<Entry>

interface GroupProps {
  readonly title: string
  readonly base: string
  readonly entries: ReadonlyArray<Entry>
}

const Group = ({ base, entries, title }: GroupProps) => {
  const { t } = useI18n()
  const [path] = useLocation()
  // A deep link may end with a slash.
  const location = path.replace(/\/$/, "")
  const isCurrent = (href: string, page: string): boolean =>
    page === "" ? location === href : location === href || location.startsWith(`${href}/`)
  return (
    <li>
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
        {isOperator && <Group title={t.nav.groupOperator} base="" entries={operatorEntries} />}
      </ul>
    </nav>
  )
}
