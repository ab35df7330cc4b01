/** An error of a send, as the rules of the outbox see it. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
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

/** Another call may be sending it. Waits for its answer, at most for about 20 seconds. */
export const waiting = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.retry(effect, {
    while: ({ _tag }) => _tag === "IdempotencyInFlight",
    schedule: Schedule.exponential("20 millis"),
    times: 10,
  })
