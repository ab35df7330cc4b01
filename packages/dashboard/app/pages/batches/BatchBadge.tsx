import type { Batch } from "../../api/types.ts"
import { batches as english } from "../../i18n/en/batches.ts"
import { useTexts } from "../../i18n/i18n.tsx"
import { Badge, type Tone } from "../../ui/data.tsx"

const tones: Readonly<Record<Batch["status"], Tone>> = {
  writing: "neutral",
  running: "info",
  paused: "warn",
  done: "good",
  cancelled: "neutral",
}

export const BatchBadge = ({ status }: Pick<Batch, "status">) => {
  const { t } = useTexts(english)
  return <Badge tone={tones[status]}>{t.batchStatus[status]}</Badge>
}
