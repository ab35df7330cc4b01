/** A secret that is shown once. */
import { useEffect, useId, useState } from "react"
import { apiKeys as english } from "../i18n/en/apiKeys.ts"
import { useTexts } from "../i18n/i18n.tsx"
import { Button } from "./button.tsx"
import { Copy } from "./data.tsx"
import { Confirm, Dialog, DialogButtons } from "./dialog.tsx"

interface Props {
  readonly title: string
  readonly text: string
  /** The advice for a secret that was not copied. */
  readonly lost: string
  readonly label: string
  readonly secret: string
  readonly onClose: () => void
}

/** Warns before the reader leaves without a copy: by closing, by another page, or by closing the tab. */
export const SecretDialog = ({ label, lost, onClose, secret, text, title }: Props) => {
  const { t } = useTexts(english)
  const id = useId()
  const [isCopied, setCopied] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  useEffect(() => {
    if (isCopied) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", warn)
    return () => removeEventListener("beforeunload", warn)
  }, [isCopied])
  const leave = () => (isCopied ? onClose() : setLeaving(true))
  return (
    <Dialog open stays onOpenChange={(open) => open || leave()} title={title} description={text}>
      <div className="field">
        <label className="field-label" htmlFor={id}>
          {label}
        </label>
        <div className="secret">
          <input
            id={id}
            className="input mono"
            readOnly
            value={secret}
            onFocus={(event) => event.target.select()}
            onCopy={() => setCopied(true)}
          />
          <Copy text={secret} onCopy={() => setCopied(true)} />
        </div>
      </div>
      <DialogButtons>
        <Button variant={isCopied ? "primary" : "secondary"} onClick={leave}>
          {t.apiKeys.done}
        </Button>
      </DialogButtons>
      <Confirm
        open={isLeaving}
        title={t.apiKeys.leaveTitle}
        text={lost}
        action={t.apiKeys.leave}
        cancel={t.apiKeys.stay}
        onConfirm={onClose}
        onClose={() => setLeaving(false)}
      />
    </Dialog>
  )
}
