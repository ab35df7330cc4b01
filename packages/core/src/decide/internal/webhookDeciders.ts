/** The deliveries of webhooks. A command carries a part of the settings and fails as stale if they have changed. */
import * as AuditEntry from "../../domain/AuditEntry.ts"
import type { OrganizationEvent } from "../../domain/Event.ts"
import * as WebhookProgress from "../../domain/WebhookProgress.ts"
import { answer, type Decider } from "./decider.ts"

export const claimWebhook: Decider<"ClaimWebhook"> = ({ account, now, view }, command) => {
  const { holder, id, leaseMillis, organization, startsAfter } = command
  const known = view.webhook ?? WebhookProgress.initial(organization, id, startsAfter)
  const isDue =
    WebhookProgress.isFree(known, now) && WebhookProgress.isDue(known, account.lastEvent, now)
  if (!isDue) return answer({ _tag: "NotDue" })
  const progress = WebhookProgress.claim(known, holder, now + leaseMillis)
  return answer({ _tag: "Claimed", progress, now }, { webhook: progress })
}

export const recordDeliveries: Decider<"RecordDeliveries"> = ({ account, now, view }, command) => {
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
  return answer({ _tag: "DeliveriesRecorded", progress }, { webhook: progress }, events)
}

export const replayWebhook: Decider<"ReplayWebhook"> = ({ account, view }, command) => {
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
      AuditEntry.draft({
        actor,
        action: "webhook.replayed",
        target: id,
        before: { position, status },
        after: { position: after, status: "active" },
      }),
    ],
  )
}
