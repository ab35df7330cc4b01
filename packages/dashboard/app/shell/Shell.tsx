/** The frame of every page: navigation, organization, reader. */
import { lazy, type ReactNode } from "react"
import { Link } from "wouter"
import { settings } from "../base.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { Icon } from "../ui/icons.tsx"
import { Navigation } from "./Navigation.tsx"
import { OnDemand } from "./OnDemand.tsx"
import { SearchBox } from "./SearchBox.tsx"

const Drawer = lazy(() => import("./Drawer.tsx"))
const UserMenu = lazy(() => import("./UserMenu.tsx"))

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
        <OnDemand
          className="icon-button only-narrow"
          label={t.nav.open}
          menu={<Drawer organization={organization} />}
        >
          <Icon name="menu" />
        </OnDemand>
        <Link href="/" className="brand">
          {settings.name}
        </Link>
        <div className="topbar-end">
          <SearchBox />
          <OnDemand className="icon-button" label={t.user.menu} menu={<UserMenu />}>
            <Icon name="user" />
          </OnDemand>
        </div>
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
