import { type ComponentType, type ReactNode, Suspense, useState } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { onDemand } from "./onDemand.ts"

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  /** A click outside and Escape do not close it. */
  readonly stays?: boolean
  readonly size?: "medium" | "large"
}

export interface ConfirmProps {
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
  /** The fields to fill in before the action. */
  readonly children?: ReactNode
  /** Whether the action is still refused. */
  readonly disabled?: boolean
}

const frames = () => import("./dialogFrame.tsx")

/** Draws a frame from when it opens for the first time, because most visits open no dialog. */
const loadedOnce = <P extends { readonly open: boolean }>(Frame: ComponentType<P>) => {
  const Loaded = (props: P) => {
    const [isWanted, setWanted] = useState(props.open)
    if (props.open && !isWanted) setWanted(true)
    return (
      isWanted && (
        <Suspense fallback={null}>
          <Frame {...props} />
        </Suspense>
      )
    )
  }
  return Loaded
}

export const Dialog = loadedOnce<DialogProps>(
  onDemand(async () => ({ default: (await frames()).Dialog })),
)

/** Asks before something that cannot be taken back. */
export const Confirm = loadedOnce<ConfirmProps>(
  onDemand(async () => ({ default: (await frames()).Confirm })),
)

/** The buttons at the end of a dialog. */
export const DialogButtons = ({ children }: { readonly children: ReactNode }) => (
  <div className="dialog-buttons">{children}</div>
)

interface FormButtonsProps {
  /** The label of the button that submits the form. */
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
