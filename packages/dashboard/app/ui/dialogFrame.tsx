/** The frames of dialogs. They are loaded when the first dialog of a visit opens. */
import { AlertDialog } from "@base-ui/react/alert-dialog"
import { Dialog as Base } from "@base-ui/react/dialog"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { type ConfirmProps, DialogButtons, type DialogProps } from "./dialog.tsx"
import { Problem } from "./problem.tsx"

export const Dialog = ({
  children,
  description,
  onOpenChange,
  open,
  size = "medium",
  stays,
  title,
}: DialogProps) => (
  <Base.Root open={open} onOpenChange={onOpenChange} disablePointerDismissal={stays ?? false}>
    <Base.Portal>
      <Base.Backdrop className="backdrop" />
      <Base.Popup className={`dialog ${size}`}>
        <Base.Title className="dialog-title">{title}</Base.Title>
        {description !== undefined && (
          <Base.Description className="dialog-text" render={<div />}>
            {description}
          </Base.Description>
        )}
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

/** Asks before something that cannot be taken back. */
export const Confirm = ({
  action,
  busy,
  cancel,
  children,
  danger = true,
  disabled = false,
  error,
  onClose,
  onConfirm,
  open,
  text,
  title,
}: ConfirmProps) => {
  const { t } = useI18n()
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => next || onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog small">
          <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
          <AlertDialog.Description className="dialog-text">{text}</AlertDialog.Description>
          {children}
          <Problem error={error ?? null} />
          <DialogButtons>
            <AlertDialog.Close render={<Button>{cancel ?? t.action.cancel}</Button>} />
            <Button
              variant={danger ? "danger" : "primary"}
              busy={busy ?? false}
              disabled={disabled}
              onClick={onConfirm}
            >
              {action}
            </Button>
          </DialogButtons>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
