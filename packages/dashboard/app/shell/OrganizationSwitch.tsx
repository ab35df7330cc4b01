/** Switches between organizations. A reader with one of their own sees its name. */
import { lazy } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { OnDemand } from "./OnDemand.tsx"
import { nameOf, SwitchContent, useSelected } from "./organizations.tsx"

const OrganizationMenu = lazy(() => import("./OrganizationMenu.tsx"))

interface Props {
  readonly organization: string | undefined
}

export const OrganizationSwitch = ({ organization }: Props) => {
  const { t } = useI18n()
  const { organizations } = useSession()
  const selected = useSelected(organization)
  if (organizations?.length === 1) return <p className="tenant-name">{selected?.label}</p>
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
