/** The frame of every page: navigation, organization, reader. */
import { Dialog } from "@base-ui/react/dialog"
import { lazy, type ReactNode, useEffect, useState } from "react"
import { Link, useLocation } from "wouter"
import { settings } from "../base.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Icon, type IconName } from "../ui/icons.tsx"
import { OrganizationSwitch } from "./OrganizationSwitch.tsx"
import { OnDemand } from "./OnDemand.tsx"

const UserMenu = lazy(() => import("./UserMenu.tsx"))

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
  const isCurrent = (href: string, path: string): boolean =>
    path === "" ? location === href : location === href || location.startsWith(`${href}/`)
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

const Navigation = ({ organization }: { readonly organization: string | undefined }) => {
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

const Drawer = ({ children }: { readonly children: ReactNode }) => {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  const [location] = useLocation()
  useEffect(() => setOpen(false), [location])
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="icon-button only-narrow" aria-label={t.nav.open}>
        <Icon name="menu" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="drawer" aria-label={t.nav.label}>
          <Dialog.Close className="icon-button" aria-label={t.nav.close}>
            <Icon name="close" />
          </Dialog.Close>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface Props {
  readonly organization: string | undefined
  readonly children: ReactNode
}

export const Shell = ({ children, organization }: Props) => {
  const { t } = useI18n()
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {t.nav.skip}
      </a>
      <header className="topbar">
        <Drawer>
          <Navigation organization={organization} />
        </Drawer>
        <Link href="/" className="brand">
          {settings.name}
        </Link>
        <OrganizationSwitch organization={organization} />
        <OnDemand className="icon-button" label={t.user.menu} menu={<UserMenu />}>
          <Icon name="user" />
        </OnDemand>
      </header>
      <div className="sidebar">
        <Navigation organization={organization} />
      </div>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}
