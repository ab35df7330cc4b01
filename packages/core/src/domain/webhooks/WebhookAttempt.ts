/** The requests to the receiver of a webhook, as they are kept: in the order of their records, without gaps. */
import type { EventType } from "../events/EventTable.ts"
import type { OrganizationId, WebhookId } from "../values/Ids.ts"
import * as WebhookProgress from "./WebhookProgress.ts"

export interface WebhookAttempt extends WebhookProgress.Attempt {
  readonly organization: OrganizationId
  readonly webhookId: WebhookId
  /** The place among the attempts of the webhook, from 1. */
  readonly position: number
  /** The type of the event. */
  readonly type: EventType
  /** As in `WebhookProgress.Retry`. The body contains it. */
  readonly previous: number | null
  /** Which attempt of the event it was, from 1. One that was ended early counts as none: it has the next number. */
  readonly number: number
}

/** How long attempts are kept, in milliseconds. */
export const keptMillis = 7 * 86_400_000

/** The attempts of a round, in the order of their ends. Retention has dropped the events of some deliveries. */
export const ofRound = (
  { attempted, id: webhookId, organization, retries }: WebhookProgress.WebhookProgress,
  deliveries: ReadonlyArray<WebhookProgress.Delivery>,
): ReadonlyArray<WebhookAttempt> => {
  const before = new Map(retries.map(({ attempts, sequence }) => [sequence, attempts]))
  let position = attempted
  return deliveries.flatMap((delivery) => {
    const { previous, sequence, type } = delivery
    if (delivery.outcome._tag === "Dropped" || type === null) return []
    position += 1
    const number = (before.get(sequence) ?? 0) + 1
    const attempt = WebhookProgress.attemptOf(delivery)
    return { organization, webhookId, position, type, previous, number, ...attempt }
  })
}
