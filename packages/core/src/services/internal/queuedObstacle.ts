/** An error of a send, as the rules of the outbox see it. */
import type { SendMessageError } from "../../api/messages.ts"
import type { SendError } from "../../api/verifications.ts"
import type { Obstacle } from "../../domain/outbox/QueuedSend.ts"
import * as Answers from "../../engine/StoredAnswer.ts"

export const obstacleOf = (error: SendError | SendMessageError): Obstacle => {
  const isFinal = Answers.isRefusal(error)
  if (error._tag === "RateLimited") {
    const { reason, retryAfterSeconds } = error
    return { kind: reason === "quiet_hours" ? reason : "limits", retryAfterSeconds, isFinal }
  }
  const kind = error._tag === "InsufficientBalance" ? "balance" : "other"
  return { kind, retryAfterSeconds: 0, isFinal }
}
