import { Toast } from "@base-ui/react/toast"
import type { ReactNode } from "react"
import { useI18n } from "../i18n/i18n.tsx"
import { Icon } from "./icons.tsx"

const List = () => {
  const { t } = useI18n()
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Content className="toast-content">
        <Toast.Title className="toast-title" render={<p />} />
        <Toast.Close className="icon-button" aria-label={t.action.close}>
          <Icon name="close" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}

/** Short messages about what was done, announced to screen readers. */
export const Toasts = ({ children }: { readonly children: ReactNode }) => (
  <Toast.Provider timeout={6_000}>
    {children}
    <Toast.Portal>
      <Toast.Viewport className="toasts">
        <List />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)

/** Says that something was done. */
export const useNotify = (): ((title: string) => void) => {
  const { add } = Toast.useToastManager()
  return (title) => void add({ title })
}
