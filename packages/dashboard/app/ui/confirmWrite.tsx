import type { ComponentProps } from "react"
import { useWrite, type Write } from "../api/client.ts"
import { Confirm } from "./dialog.tsx"
import { useNotify } from "./toasts.tsx"

interface Props extends Pick<
  ComponentProps<typeof Confirm>,
  "action" | "cancel" | "onClose" | "text" | "title"
> {
  readonly write: Write
  /** The start of the API paths that are read again after the write. */
  readonly stale: string
  /** The notice after the write. */
  readonly done: string
  /** @defaultValue closes the question */
  readonly onDone?: () => void
}

/** Asks before one write, and says that it was done. */
export const ConfirmWrite = ({ done, onClose, onDone, stale, write, ...question }: Props) => {
  const notify = useNotify()
  const { error, isPending, mutate } = useWrite(stale)
  const onSuccess = () => {
    notify(done)
    ;(onDone ?? onClose)()
  }
  return (
    <Confirm
      open
      {...question}
      busy={isPending}
      error={error}
      onClose={onClose}
      onConfirm={() => mutate(write, { onSuccess })}
    />
  )
}
