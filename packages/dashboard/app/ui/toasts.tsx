/** Short messages about what was done, announced to screen readers. */
import { createContext, type ReactNode, use, useCallback, useEffect, useState } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { Icon } from "./icons.tsx"

interface Toast {
  readonly id: number
  readonly title: string
}

const shownMillis = 6_000

const NotifyContext = createContext<(title: string) => void>(() => {})

/** Says that something was done. */
export const useNotify = (): ((title: string) => void) => use(NotifyContext)

interface ItemProps {
  readonly toast: Toast
  readonly onClose: () => void
}

const Item = ({ onClose, toast }: ItemProps) => {
  const { t } = useI18n()
  useEffect(() => {
    const timer = setTimeout(onClose, shownMillis)
    return () => clearTimeout(timer)
  }, [onClose])
  return (
    <div className="toast">
      <p>{toast.title}</p>
      <button type="button" className="icon-button" aria-label={t.action.close} onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  )
}

export const Toasts = ({ children }: { readonly children: ReactNode }) => {
  const [toast, setToast] = useState<Toast>()
  const notify = useCallback(
    (title: string) => setToast((before) => ({ id: (before?.id ?? 0) + 1, title })),
    [],
  )
  const close = useCallback(() => setToast(undefined), [])
  return (
    <NotifyContext value={notify}>
      {children}
      <div className="toasts" role="status">
        {toast !== undefined && <Item key={toast.id} toast={toast} onClose={close} />}
      </div>
    </NotifyContext>
  )
}
