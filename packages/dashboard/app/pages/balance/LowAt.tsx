import { settingsPage as english } from "../../i18n/en/settings.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { BoundEditor } from "../settings/BoundEditor.tsx"

interface Props {
  /** The balance of which the organization is warned. */
  readonly bound: string | null
  readonly onClose: () => void
}

/** Sets the balance of which the organization is warned, as the settings do. */
const LowAt = ({ bound, onClose }: Props) => {
  const { t } = useTexts(english)
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={bound === null ? t.balance.setLowAt : t.balance.changeLowAt}
      description={t.settingsPage.balanceHint}
    >
      <BoundEditor
        field="balanceLowAt"
        kind="money"
        bound={bound}
        bodyOf={(balanceLowAt) => ({ balanceLowAt })}
        onClose={onClose}
      />
    </Dialog>
  )
}

export default LowAt
