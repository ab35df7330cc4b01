/** The commands on the deliveries of a webhook, and their results. */
import type { Actor } from "../../domain/Actor.ts"
import type { Webhook } from "../../domain/Webhook.ts"
import type { Round, WebhookProgress } from "../../domain/WebhookProgress.ts"

/** The settings of a webhook that its progress begins with. */
interface OfWebhook extends Pick<Webhook, "id" | "startsAfter"> {
  readonly version: number
}

/** A node that delivers. */
interface Holder {
  readonly holder: string
}

export interface WebhookFields {
  /** Gives the deliveries of a webhook to a node. */
  readonly ClaimWebhook: OfWebhook & Holder & { readonly leaseMillis: number }
  /** Records the deliveries of the node that holds the webhook, and ends its lease. */
  readonly RecordDeliveries: Pick<Webhook, "id"> & Holder & { readonly round: Round }
  /** Delivers again from an event on, whether the deliveries have ended or not. */
  readonly ReplayWebhook: OfWebhook & {
    readonly actor: Actor
    /** The `sequence` of the last event that is not delivered again. `undefined`: before the first that failed. */
    readonly after: number | undefined
  }
}

export interface WebhookResults {
  readonly ClaimWebhook:
    | {
        readonly _tag: "Claimed"
        readonly progress: WebhookProgress
        /** The organization's time, in epoch milliseconds. */
        readonly now: number
      }
    | { readonly _tag: "NotDue" }
  readonly RecordDeliveries:
    | { readonly _tag: "DeliveriesRecorded"; readonly progress: WebhookProgress }
    | { readonly _tag: "Fenced" }
  readonly ReplayWebhook: { readonly _tag: "Replayed"; readonly after: number }
}
