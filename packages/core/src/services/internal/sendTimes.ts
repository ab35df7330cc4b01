/** The times of a message that is sent later. */
import type { FieldProblems } from "../../api/internal/fieldProblems.ts"

/** How far ahead a message may be sent. */
const maxAheadDays = 35

const dayMillis = 86_400_000

export const checkSendAt = (problems: FieldProblems, sendAt: number, now: number): void => {
  if (sendAt <= now + maxAheadDays * dayMillis) return
  problems.fail("sendAt", "too_far_ahead", { days: maxAheadDays })
}

export const checkTimes = (
  problems: FieldProblems,
  { expiresAt, sendAt }: { readonly sendAt: number; readonly expiresAt: number | null },
  now: number,
): void => {
  checkSendAt(problems, sendAt, now)
  if (expiresAt !== null && expiresAt <= Math.max(now, sendAt)) {
    problems.fail("expiresAt", "not_after_send_at", {})
  }
}
