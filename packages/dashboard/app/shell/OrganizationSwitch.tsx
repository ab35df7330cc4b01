/** Operators switch between organizations here; tenants see the name of theirs. */
import { lazy } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { OnDemand } from "./OnDemand.tsx"
import { nameOf, SwitchContent, useOrganizations } from "./organizations.tsx"

const OrganizationMenu = lazy(() => import("./OrganizationMenu.tsx"))

interface Props {
  readonly organization: string | undefined
}

export const OrganizationSwitch = ({ organization }: Props) => {
  const { t } = useI18n()
  const { isOperator } = useSession()
  const { selected } = useOrganizations(organization)
  if (!isOperator) return <span className="switch-name">{selected?.label}</span>
  return (
    <OnDemand
      className="switch"
      label={nameOf(selected, t)}
      menu={<OrganizationMenu organization={organization} />}
    >
      <SwitchContent selected={selected} />
    </OnDemand>
  )
}
