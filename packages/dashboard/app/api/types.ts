/** The answers of the admin API: the promise API's data as JSON. */
import type { searches } from "@countersign/core/api/search"
import type * as Plain from "countersign"

/** JSON of a value: times are ISO 8601 strings. */
export type Json<A> = A extends Date
  ? string
  : A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Json<Item>>
    : A extends object
      ? { readonly [Key in keyof A]: Json<A[Key]> }
      : A

export type Role = "operator" | "support" | "billing" | "viewer" | "tenant"

export interface AlertList {
  readonly alerts: ReadonlyArray<Json<Plain.Alert>>
}

export type ApiKey = Json<Plain.ApiKey>
export type CreatedApiKey = Json<Plain.CreatedApiKey>
export type AuditRecord = Json<Plain.AuditRecord>
export type Balance = Json<Plain.Balance>
export type Posting = Json<Plain.Posting>
export type Batch = Json<Plain.Batch>
export type EstimatedMany = Json<Plain.EstimatedMany>
export type RefusedRecipient = Json<Plain.RefusedRecipient>
export type SentMany = Json<Plain.SentMany>
export type Channel = Plain.Channel
export type CreatedWebhook = Json<Plain.CreatedWebhook>
export type FraudFinding = Json<Plain.FraudFinding>
export type LedgerEntry = Json<Plain.LedgerEntry>
export type Message = Json<Plain.Message>
export type MessagePreview = Json<Plain.MessagePreview>
export type MessageReport = Json<Plain.MessageReport>
export type MessageStatus = Plain.MessageStatus
export type Organization = Json<Plain.Organization>
export type OrganizationSummary = Json<Plain.OrganizationSummary>
export type OptOutStatus = Json<Plain.OptOutStatus>
export type QueuedMessage = Json<Plain.QueuedMessage>
export type Refusal = Json<Plain.Refusal>
export type Statement = Json<Plain.Statement>
export type Total = Json<Plain.Total>
export type VerificationState = Plain.VerificationState
export type Webhook = Json<Plain.Webhook>

export type MessageHistory = Json<Plain.MessageHistory>
export interface VerificationHistory extends Omit<Json<Plain.VerificationHistory>, "verification"> {
  readonly verification: Verification
}
export type TimelineStep = Json<Plain.TimelineStep>

interface Listed {
  /** Where the next page begins; `null` after the last one. */
  readonly next: string | null
}

/** A verification with the same members in every state. */
export interface Verification extends Omit<Json<Plain.OpenVerification>, "status"> {
  readonly status: VerificationState
  readonly failure: Plain.FailedVerification["reason"] | null
  readonly verifiedAt: string | null
  readonly consumedAt: string | null
}

export interface ListedVerification extends Verification {
  readonly delivery: MessageStatus | null
}

export interface FoundVerifications extends Listed {
  readonly verifications: ReadonlyArray<ListedVerification>
}

export interface FoundMessages extends Listed {
  readonly messages: ReadonlyArray<Message>
}

export interface QueuedMessages extends Listed {
  readonly messages: ReadonlyArray<QueuedMessage>
}

export interface BatchList extends Listed {
  readonly batches: ReadonlyArray<Batch>
}

export interface AuditPage extends Json<Pick<Plain.AuditPage, "first" | "last">> {
  readonly entries: ReadonlyArray<AuditRecord>
  readonly next: number | null
}

export interface RefusalPage extends Listed {
  readonly refusals: ReadonlyArray<Refusal>
}

export interface OrganizationList extends Listed {
  readonly organizations: ReadonlyArray<OrganizationSummary>
}

export interface ApiKeyList extends Listed {
  readonly apiKeys: ReadonlyArray<ApiKey>
}

export interface Sender extends Json<Omit<Plain.Sender, "value">> {
  readonly sender: string
}

export interface SenderList extends Listed {
  readonly brands: ReadonlyArray<Sender>
}

/** Of the reader, and to operators of all people; the newest first. */
export interface LoginSessionList {
  readonly sessions: ReadonlyArray<{
    readonly id: string
    readonly startedAt: string
    readonly lastSeenAt: string
    readonly network: string | null
    readonly agent: string | null
    /** `null` and no roles after a sign-in with a password. */
    readonly name: string | null
    readonly roles: ReadonlyArray<Role>
    readonly isCurrent: boolean
  }>
}

export type SearchHits = Json<(typeof searches.find.output)["Encoded"]>

export interface WebhookList {
  readonly webhooks: ReadonlyArray<Webhook>
}

/** The problems of an organization. */
export interface Attention {
  /** The most urgent first. */
  readonly findings: ReadonlyArray<{
    readonly code:
      | "no_sender"
      | "balance_empty"
      | "gateway_paused"
      | "delivered_fell"
      | "verified_fell"
      | "balance_days"
      | "balance_low"
      | "webhook_failing"
      | "retention_behind"
    readonly isUrgent: boolean
    readonly since: string | null
    readonly target: {
      readonly page:
        | "senders"
        | "balance"
        | "gateways"
        | "messages"
        | "verifications"
        | "webhooks"
        | "settings"
      readonly id: string | null
    }
    readonly parameters: Readonly<Record<string, string | number>>
  }>
  readonly daysLeft: number | null
}

/** A booking, or messages with all that was booked for them. */
export interface Movement {
  readonly sequence: number
  readonly at: string
  readonly kind: "message" | "top-up" | "adjustment"
  readonly change: string
  readonly balance: string
  readonly state: "held" | "charged" | "refunded" | null
  readonly batchId: string | null
  readonly messages: number
  readonly messageId: string | null
  readonly messageSequence: number | null
  readonly phoneNumber: string | null
  readonly note: string | null
  readonly paymentId: string | null
  readonly actor: string | null
}

export interface MovementPage {
  readonly movements: ReadonlyArray<Movement>
  readonly next: number | null
}

export interface DayBalances {
  readonly balances: ReadonlyArray<{
    readonly at: string
    readonly balance: string
    readonly held: string
  }>
}

export interface TotalList {
  readonly totals: ReadonlyArray<Total>
}

export interface FindingList {
  readonly findings: ReadonlyArray<FraudFinding>
}

export type FraudDryRun = Json<Plain.FraudDryRun>

export interface FraudRules {
  readonly prefixDigits?: number
  readonly window?: string
  readonly maxSent?: number
  readonly minSent?: number
  readonly minConversion?: number
}

export type GatewayState = Json<Plain.GatewayState>
export type UnmatchedReport = Json<Plain.UnmatchedReport>
export interface UnmatchedReports {
  readonly reports: ReadonlyArray<UnmatchedReport>
  readonly next: string | null
}

export interface GatewayList {
  readonly gateways: ReadonlyArray<GatewayState>
}

export type GatewayActivity = Json<Plain.GatewayActivity>
export type GatewayPause = Json<Plain.GatewayPause>
export interface GatewayActivityList {
  readonly gateways: ReadonlyArray<GatewayActivity>
}

export type WebhookAttempt = Json<Plain.KeptAttempt>
export type WebhookAttemptDetails = Json<Plain.AttemptDetails>
export type WebhookActivity = Json<Plain.WebhookActivity>
export interface WebhookAttempts extends Listed {
  readonly attempts: ReadonlyArray<WebhookAttempt>
}
