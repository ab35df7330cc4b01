/** What the admin API answers: the promise API's data as JSON. */
import type * as Plain from "countersign"

/** JSON of a value: times are ISO 8601 strings. */
export type Json<A> = A extends Date
  ? string
  : A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Json<Item>>
    : A extends object
      ? { readonly [Key in keyof A]: Json<A[Key]> }
      : A

export type Role = "read" | "support" | "finance" | "admin"

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

export interface EventPage extends Json<Pick<Plain.EventPage, "first" | "last">> {
  readonly events: ReadonlyArray<Json<Plain.LoggedEvent>>
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

export interface Ledger {
  readonly entries: ReadonlyArray<LedgerEntry>
  readonly next: number | null
}

/** Of the login of the reader, the newest first. */
export interface LoginSessionList {
  readonly sessions: ReadonlyArray<{
    readonly id: string
    readonly startedAt: string
    readonly lastSeenAt: string
    readonly network: string | null
    readonly agent: string | null
    readonly isCurrent: boolean
  }>
}

export interface WebhookList {
  readonly webhooks: ReadonlyArray<Webhook>
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
