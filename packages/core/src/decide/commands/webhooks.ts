/** The deliveries of webhooks. A command carries a part of the settings and fails as stale if they have changed. */
import type { Actor } from "../../domain/values/Actor.ts"
import type { Webhook } from "../../domain/webhooks/Webhook.ts"
import * as AuditRecord from "../../domain/access/AuditRecord.ts"
import type { OrganizationEvent } from "../../domain/events/Event.ts"
import * as WebhookAttempt from "../../domain/webhooks/WebhookAttempt.ts"
import * as WebhookProgress from "../../domain/webhooks/WebhookProgress.ts"
import { answer, type Decider } from "../shared/Decider.ts"
import type { Of } from "../shared/Results.ts"

/** The settings of a webhook that its progress begins with. */
interface OfWebhook extends Pick<Webhook, "id" | "startsAfter"> {
  readonly version: number
}

interface Holder {
  readonly holder: string
}

export interface Commands {
  /** Gives the deliveries of a webhook to a node. */
  readonly ClaimWebhook: OfWebhook & Holder & { readonly leaseMillis: number }
  /** Records the deliveries of the node that holds the webhook, and ends its lease. */
  readonly RecordDeliveries: Pick<Webhook, "id"> &
    Holder & { readonly round: WebhookProgress.Round }
  /** Records the delivery of an event that was sent again. The state of the other deliveries does not matter. */
  readonly RecordResent: OfWebhook & {
    readonly actor: Actor
    readonly delivery: WebhookProgress.Delivery
  }
  /** Delivers again from an event on, whether the deliveries have ended or not. */
  readonly ReplayWebhook: OfWebhook & {
    readonly actor: Actor
    /** The `sequence` of the last event that is not delivered again. `undefined`: before the first that failed. */
    readonly after: number | undefined
  }
}

export interface Results {
  readonly ClaimWebhook:
    | {
        readonly _tag: "Claimed"
        readonly progress: WebhookProgress.WebhookProgress
        /** The organization's time, in epoch milliseconds. */
        readonly now: number
      }
    | { readonly _tag: "NotDue" }
  readonly RecordDeliveries:
    | { readonly _tag: "DeliveriesRecorded"; readonly progress: WebhookProgress.WebhookProgress }
    | { readonly _tag: "Fenced" }
  readonly RecordResent: { readonly _tag: "ResentRecorded" }
  readonly ReplayWebhook: { readonly _tag: "Replayed"; readonly after: number }
}

type Decide<T extends keyof Commands> = Decider<Of<Commands, T>, Results[T]>

export const claimWebhook: Decide<"ClaimWebhook"> = ({ account, now, view }, command) => {
  const { holder, id, leaseMillis, organization, startsAfter } = command
  const known = view.webhook ?? WebhookProgress.initial(organization, id, startsAfter)
  const isDue =
    WebhookProgress.isFree(known, now) && WebhookProgress.isDue(known, account.lastEvent, now)
  if (!isDue) return answer({ _tag: "NotDue" })
  const progress = WebhookProgress.claim(known, holder, now + leaseMillis)
  return answer({ _tag: "Claimed", progress, now }, { webhook: progress })
}

export const recordDeliveries: Decide<"RecordDeliveries"> = ({ account, now, view }, command) => {
  const { webhook: known } = view
  // The lease of this node has ended, and another node repeats the deliveries.
  if (known === undefined || known.holder !== command.holder) return answer({ _tag: "Fenced" })
  // A restore has taken the events of the round back. Others will have their sequences.
  if (command.round.position > account.lastEvent) return answer({ _tag: "Fenced" })
  const progress = WebhookProgress.record(known, command.round, now)
  const { id: webhookId, organization, status } = progress
  const events: ReadonlyArray<OrganizationEvent> =
    status === "active"
      ? []
      : [
          {
            _tag: "WebhookFailing",
            organization,
            at: now,
            webhookId,
            reason: status === "gone" ? "gone" : "failed",
          },
        ]
  const attempts = WebhookAttempt.ofRound(known, command.round.deliveries)
  const added = attempts.length === 0 ? undefined : { attempts }
  return answer({ _tag: "DeliveriesRecorded", progress }, { webhook: progress, ...added }, events)
}

export const recordResent: Decide<"RecordResent"> = ({ view }, command) => {
  const { actor, delivery, id, organization, startsAfter } = command
  const known = view.webhook ?? WebhookProgress.initial(organization, id, startsAfter)
  const { sequence } = delivery
  return answer(
    { _tag: "ResentRecorded" },
    {
      webhook: WebhookProgress.recordResent(known, delivery),
      attempts: WebhookAttempt.ofRound(known, [delivery]),
    },
    [],
    [
      AuditRecord.newRecord({
        actor,
        action: "webhook.resent",
        target: id,
        before: null,
        after: { sequence, isDelivered: delivery.outcome._tag === "Delivered" },
      }),
    ],
  )
}

export const replayWebhook: Decide<"ReplayWebhook"> = ({ account, view }, command) => {
  const { actor, id, organization, startsAfter } = command
  const known = view.webhook ?? WebhookProgress.initial(organization, id, startsAfter)
  const wanted = command.after ?? WebhookProgress.undeliveredAfter(known)
  // Retention has dropped the events before the first.
  const after = Math.min(Math.max(wanted, account.firstEvent - 1), account.lastEvent)
  const { position, status } = known
  return answer(
    { _tag: "Replayed", after },
    { webhook: WebhookProgress.replay(known, after) },
    [],
    [
      AuditRecord.newRecord({
        actor,
        action: "webhook.replayed",
        target: id,
        before: { position, status },
        after: { position: after, status: "active" },
      }),
    ],
  )
}
