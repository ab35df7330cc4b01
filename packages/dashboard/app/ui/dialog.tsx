import { AlertDialog } from "@base-ui/react/alert-dialog"
import { Dialog as Base } from "@base-ui/react/dialog"
import type { ReactNode } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { Problem } from "./problem.tsx"

interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  /** A click outside and Escape do not close it. */
  readonly stays?: boolean
  readonly size?: "medium" | "large"
}

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

/** The buttons at the end of a dialog. */
export const DialogButtons = ({ children }: { readonly children: ReactNode }) => (
  <div className="dialog-buttons">{children}</div>
)

interface FormButtonsProps {
  /** What the form does. */
  readonly action: string
  readonly variant?: "primary" | "danger"
  readonly busy: boolean
  readonly onClose: () => void
}

/** The buttons of a dialog with a form. */
export const FormButtons = ({ action, busy, onClose, variant = "primary" }: FormButtonsProps) => {
  const { t } = useI18n()
  return (
    <DialogButtons>
      <Button onClick={onClose}>{t.action.cancel}</Button>
      <Button type="submit" variant={variant} busy={busy}>
        {action}
      </Button>
    </DialogButtons>
  )
}

interface ConfirmProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly text: ReactNode
  readonly action: string
  readonly cancel?: string
  readonly onConfirm: () => void
  readonly danger?: boolean
  readonly busy?: boolean
  readonly error?: Error | null
  /** What has to be entered before the action. */
  readonly children?: ReactNode
  /** Whether the action is still refused. */
  readonly disabled?: boolean
}

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
