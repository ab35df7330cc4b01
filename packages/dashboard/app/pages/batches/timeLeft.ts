import type { Batch } from "../../api/types.ts"
import { fill } from "../../i18n/dictionary.ts"
import type { batches } from "../../i18n/en/batches.ts"
import type { Format } from "../../i18n/format.ts"
import { elapsed } from "../../ui/elapsed.ts"

/** How long a batch still takes, and how that is known. */
export const timeLeft = (
  { queued, secondsLeft, secondsLeftBy, status }: Batch,
  t: typeof batches,
  format: Format,
): string => {
  if (queued === 0 || status === "done" || status === "cancelled") return "—"
  if (secondsLeft === null) return t.batches.timeUnknown
  const time = format.duration(elapsed(secondsLeft * 1_000))
  return secondsLeftBy === "pace" ? fill(t.batches.byPace, { time }) : time
}
