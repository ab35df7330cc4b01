import { Dialog } from "@base-ui/react/dialog"
import { useState } from "react"
import { useLocation } from "wouter"
import { useI18n } from "../i18n/i18n.tsx"
import { Icon } from "../ui/icons.tsx"
import { Navigation } from "./Navigation.tsx"

interface Props {
  readonly organization: string | undefined
}

/** The navigation at phone width. */
const Drawer = ({ organization }: Props) => {
  const { t } = useI18n()
  const [location] = useLocation()
  // Open on one page only: a link closes it.
  const [openAt, setOpenAt] = useState<string | undefined>(location)
  return (
    <Dialog.Root
      open={openAt === location}
      onOpenChange={(open) => setOpenAt(open ? location : undefined)}
    >
      <Dialog.Trigger className="icon-button only-narrow" aria-label={t.nav.open}>
        <Icon name="menu" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="drawer" aria-label={t.nav.label}>
          <Dialog.Close className="icon-button" aria-label={t.nav.close}>
            <Icon name="close" />
          </Dialog.Close>
          <Navigation organization={organization} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export default Drawer
