/**
 * The port to the database that keeps the state.
 *
 * A store executes the commands of one organization one after another. It locks the organization's account,
 * loads the view that the command needs, calls `Decision.decide`, writes the decision, and makes it durable
 * before it answers. A store has no rules of its own. Commands that wait may share a commit.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Account, Entry } from "../domain/money/Account.ts"
import type { Actor } from "../domain/values/Actor.ts"
import type { ApiKey } from "../domain/access/ApiKey.ts"
import type { AuditRecord } from "../domain/access/AuditRecord.ts"
import type { Command, CommandResult, Tag } from "../decide/Command.ts"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { LoggedEvent, OrganizationEvent } from "../domain/events/Event.ts"
import type { Change, Changed } from "../decide/OrganizationChange.ts"
import type {
  ApiKeyId,
  MessageRef,
  OrganizationId,
  RequestId,
  WebhookId,
} from "../domain/values/Ids.ts"
import type { Message } from "../domain/messages/Message.ts"
import type { OptOut } from "../domain/messages/OptOut.ts"
import type { Organization } from "../domain/organizations/Organization.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import type { Recipient } from "../domain/verifications/Recipient.ts"
import type { KeptReport, Report, ReportPlace } from "../domain/messages/MessageReport.ts"
import type { Finding } from "../domain/fraud/PrefixStats.ts"
import type * as Search from "./Search.ts"
import type { MessagePage, MessageQuery, TotalQuery } from "./Search.ts"
import type { Balances, KindSums } from "../domain/money/Statement.ts"
import type { Refusal } from "../domain/verifications/Refusal.ts"
import type { Total } from "../domain/money/Total.ts"
import type { AlertRows } from "./AlertRows.ts"
import type { BatchRows } from "./BatchRows.ts"
import type { CounterRows } from "./CounterRows.ts"
import type { OutboxRows } from "./OutboxRows.ts"
import type { StoreState } from "./StoreState.ts"
import type { UnownedRows } from "./UnownedRows.ts"
import type * as Upkeep from "./Upkeep.ts"
import type { Verification } from "../domain/verifications/Verification.ts"
import type { WebhookProgress } from "../domain/webhooks/WebhookProgress.ts"

export type { KeptReport, ReportPlace } from "../domain/messages/MessageReport.ts"
export type { MessagePage, MessageQuery, TotalQuery } from "./Search.ts"
export type { PruneResult, PruneStep, RepairResult, RepairStep } from "./Upkeep.ts"

/** A durable outcome, and the events that it raises. */
export interface CommitResult<out A> {
  readonly result: A
  readonly events: ReadonlyArray<OrganizationEvent>
}

export interface ExecuteOptions {
  /**
   * `false`: no caller waits for the outcome. A store may write it with the commit of other commands, which it
   * begins at the latest after 10 ms. The reads of the same node include the outcome all the same: they wait for
   * it, at most for a second.
   *
   * @defaultValue `true`
   */
  readonly isUrgent?: false
}

/** A part of an organization's event log, and the sequences of all stored events. */
export interface EventPage {
  /** Sequence of the oldest event that retention has kept. */
  readonly first: number
  /** Sequence of the newest event; 0 before the first. */
  readonly last: number
  readonly events: ReadonlyArray<LoggedEvent>
}

/** A part of an organization's audit, and the sequences of all stored entries. */
export interface AuditPage {
  /** Sequence of the oldest entry that retention has kept. */
  readonly first: number
  /** Sequence of the newest entry; 0 before the first. */
  readonly last: number
  /** Newest first. */
  readonly entries: ReadonlyArray<AuditRecord>
}

/** A key, and the organization that it permanently belongs to. */
export interface OwnedApiKey {
  readonly organization: OrganizationId
  readonly apiKey: ApiKey
  /** Whether the organization is suspended. Keys of a suspended organization do not authenticate. */
  readonly isSuspended: boolean
}

/** A use of a key. */
export interface KeyUse {
  readonly organization: OrganizationId
  readonly id: ApiKeyId
  /** Epoch milliseconds, by the clock of the node. */
  readonly at: number
}

export interface OrganizationSummary
  extends Pick<Organization, "id" | "name">, Pick<Account, "balance" | "held"> {
  readonly isSuspended: boolean
  /** `Organization.hasDefaultSender`. */
  readonly hasDefaultSender: boolean
  /** Number of senders that wait for approval. */
  readonly pendingSenders: number
  /** Number of messages of the last 24 hours, by whole quarters; 0 if `Records` has no totals. */
  readonly messagesLastDay: number
  /** Number of API keys that are neither revoked nor expired. */
  readonly activeApiKeys: number
}

/** Selects organizations of a list. */
export interface SummarySelection {
  /** Those for which `Organization.isNamed`. @defaultValue all */
  readonly search?: string | undefined
  /** Whether to list only those with senders that wait for approval. @defaultValue false */
  readonly hasPendingSenders?: boolean | undefined
  /** `balance`: the lowest first, then by id. @defaultValue `id` */
  readonly order?: "id" | "balance" | undefined
}

export interface WebhookRef {
  readonly organization: OrganizationId
  readonly id: WebhookId
}

export interface DueWebhooks {
  /** Selects by `WebhookProgress.isTroubled`. */
  readonly isTroubled: boolean
  readonly limit: number
  /** The last of the page before, in the order of organizations and ids. */
  readonly after?: WebhookRef | undefined
}

/** The result of every operation of a store. */
export type StoreEffect<A> = Effect.Effect<A, StoreUnavailable>

export class Store extends Context.Service<
  Store,
  UnownedRows &
    OutboxRows &
    BatchRows &
    StoreState &
    CounterRows &
    AlertRows & {
      /** Decides a command and makes the decision durable. */
      readonly execute: <T extends Tag>(
        command: Command<T>,
        options?: ExecuteOptions,
      ) => StoreEffect<CommitResult<CommandResult<T>>>

      /**
       * Adds an organization with an empty account, as `OrganizationChange.create` does; `false` if the id is taken.
       * The engine draws every `version`, so none repeats, not even after a restore of the database. Defaults: the host, 1.
       */
      readonly createOrganization: (
        organization: Omit<Organization, "version">,
        actor?: Actor,
        version?: number,
      ) => StoreEffect<boolean>

      /**
       * Changes an organization under its lock, as `OrganizationChange.decide` does. `now` is the store's time.
       * `undefined` if the organization does not exist. Defaults: the host, and the next number as `version`.
       */
      readonly changeOrganization: (
        id: OrganizationId,
        change: Change,
        actor?: Actor,
        version?: number,
      ) => StoreEffect<Changed | undefined>

      readonly organization: (id: OrganizationId) => StoreEffect<Organization | undefined>

      /**
       * Ids of organizations after the given one, in ascending order. `with codes`: only organizations that have sealed
       * codes, or messages since the last step of `codes`.
       */
      readonly organizations: (
        after: OrganizationId | undefined,
        limit: number,
        which?: "with codes",
      ) => StoreEffect<ReadonlyArray<OrganizationId>>

      /** Summaries of the organizations that come after one, in their order. One read. */
      readonly organizationSummaries: (
        after: OrganizationId | undefined,
        limit: number,
        selection?: SummarySelection,
      ) => StoreEffect<ReadonlyArray<OrganizationSummary>>

      /** The key with this id, revoked or not. Takes one read, which takes as long if no such key exists. */
      readonly apiKey: (id: ApiKeyId) => StoreEffect<OwnedApiKey | undefined>

      /**
       * Records uses of keys by `ApiKey.withUse`, at the store's time if that is earlier. Raises no version, takes
       * no lock of an organization, and is not lost to a change of the organization.
       */
      readonly recordKeyUses: (uses: ReadonlyArray<KeyUse>) => StoreEffect<void>

      readonly account: (id: OrganizationId) => StoreEffect<Account | undefined>

      /** Ledger entries with a sequence above `after`, in ascending order. */
      readonly entries: (
        id: OrganizationId,
        after: number,
        limit: number,
      ) => StoreEffect<ReadonlyArray<Entry>>

      /** The entry that has booked a payment. */
      readonly payment: (id: OrganizationId, paymentId: string) => StoreEffect<Entry | undefined>

      /**
       * The balances before a time, and the sequence of the last entry before it; zeros without such an entry. Takes a
       * binary search, because times never decrease along the sequence. After `repairTime`, the entries with a
       * wrong time may be found on either side.
       */
      readonly balancesBefore: (
        id: OrganizationId,
        at: number,
      ) => StoreEffect<Balances & { readonly sequence: number }>

      /** The sums of the entries with a sequence above `after`, up to `through`. Reads each of them. */
      readonly sumEntries: (
        id: OrganizationId,
        after: number,
        through: number,
      ) => StoreEffect<KindSums>

      /**
       * Events with a sequence above `after`, in ascending order. No event with a lower sequence appears later.
       * `undefined` if the organization does not exist.
       */
      readonly events: (
        id: OrganizationId,
        after: number,
        limit: number,
      ) => StoreEffect<EventPage | undefined>

      /** The ledger entries and the events about some messages or a request; none of an unknown organization. */
      readonly trace: (id: OrganizationId, query: Search.TraceQuery) => StoreEffect<Search.Trace>

      /**
       * Entries of the audit with a sequence below `before`, newest first; the newest without it. `undefined` if the
       * organization does not exist.
       */
      readonly audit: (
        id: OrganizationId,
        before: number | undefined,
        limit: number,
      ) => StoreEffect<AuditPage | undefined>

      /**
       * One request, unless it is erased, and the organization's time at the read. Shows a request as expired only after its expiry
       * is durable, so that no later answer reverts it.
       */
      readonly verification: (
        organization: OrganizationId,
        id: RequestId,
      ) => StoreEffect<{ readonly verification: Verification; readonly now: number } | undefined>

      /** A phone number of an organization, and the organization's time at the read. */
      readonly recipient: (
        organization: OrganizationId,
        phoneNumber: PhoneNumber,
      ) => StoreEffect<{ readonly recipient: Recipient; readonly now: number } | undefined>

      readonly messages: (
        organization: OrganizationId,
        query: MessageQuery,
      ) => StoreEffect<MessagePage | undefined>

      /** A page of the messages that a search selects; `undefined` without the organization. */
      readonly searchMessages: (
        organization: OrganizationId,
        search: Search.MessageSearch,
      ) => StoreEffect<Search.Found<Message> | undefined>

      /** A page of the requests that a search selects; `undefined` without the organization. */
      readonly searchVerifications: (
        organization: OrganizationId,
        search: Search.VerificationSearch,
      ) => StoreEffect<Search.FoundVerifications | undefined>

      /** One message of the log, and the account's version; `undefined` without the organization. */
      readonly message: (
        ref: MessageRef,
      ) => StoreEffect<
        { readonly version: number; readonly message: Message | undefined } | undefined
      >

      /** Messages whose `Message.nextAt` has come, longest overdue first. @defaultValue `without`: no organization */
      readonly due: (
        limit: number,
        without?: ReadonlyArray<OrganizationId>,
      ) => StoreEffect<ReadonlyArray<MessageRef>>

      /**
       * The message to which a gateway has given this id. Gateways may reuse ids: open messages come before final ones,
       * then the newest. A final message is found only before the `expiresAt` of its id, an open message always. An id
       * that finds no message may be dropped.
       */
      readonly locate: (gateway: string, gatewayId: string) => StoreEffect<MessageRef | undefined>

      /** Keeps a report until `forgetReport`. Keeping the same report twice stores it once. */
      readonly keepReport: (report: Omit<KeptReport, "receivedAt">) => StoreEffect<void>

      /**
       * Kept reports after a place, where there may be none any more, or from the first. The store chooses the
       * order, which has to reach every report.
       */
      readonly keptReports: (
        after: ReportPlace | undefined,
        limit: number,
      ) => StoreEffect<{
        readonly now: number
        readonly reports: ReadonlyArray<KeptReport>
        /** The place of the last report, after which the next page begins. */
        readonly last: ReportPlace | undefined
      }>

      /** Reports on a message, in the order in which they were recorded; at most `Report.maxKept`. */
      readonly reports: (message: MessageRef) => StoreEffect<ReadonlyArray<Report>>

      /** How far the deliveries of an organization's webhooks have come. Without those that no node has claimed. */
      readonly webhookProgress: (
        organization: OrganizationId,
      ) => StoreEffect<ReadonlyArray<WebhookProgress>>

      /** Webhooks that a node may claim now, and that have events to deliver or to retry. */
      readonly dueWebhooks: (query: DueWebhooks) => StoreEffect<ReadonlyArray<WebhookRef>>

      /** Findings of an organization, newest first, then by prefix and reason in descending order. */
      readonly findings: (
        organization: OrganizationId,
        limit: number,
      ) => StoreEffect<ReadonlyArray<Finding>>

      /**
       * Totals of an organization, ordered by slot and then by their dimensions. `at` is the start of the slot.
       * Omits totals that count nothing. Empty if `Records` has no totals.
       */
      readonly totals: (
        organization: OrganizationId,
        query: TotalQuery,
      ) => StoreEffect<ReadonlyArray<Total>>

      /** The rows of an organization's list of opt-outs with these digests, also of numbers that were removed. */
      readonly optOuts: (
        organization: OrganizationId,
        digests: ReadonlyArray<string>,
      ) => StoreEffect<ReadonlyArray<OptOut>>

      /** The kept refusals that a search selects, newest first; `undefined` without the organization. */
      readonly refusals: (
        organization: OrganizationId,
        search: Search.RefusalSearch,
      ) => StoreEffect<ReadonlyArray<Refusal> | undefined>

      readonly forgetReport: (report: KeptReport) => StoreEffect<void>

      /**
       * Drops some of the rows that may go, in a step so small that commands hardly wait for it. Dropped rows
       * leave no trace except the ledger and the sequences that messages have used. A message stays while its
       * code is pending; if the code is over, the step that drops the message erases it. A step is atomic, may be
       * repeated, and may run on several nodes at once.
       */
      readonly prune: (step: Upkeep.PruneStep) => StoreEffect<Upkeep.PruneResult>

      /** Reads some of the rows of a phone number. `undefined` if the organization does not exist. */
      readonly personalRows: (
        step: Upkeep.PersonalStep,
      ) => StoreEffect<Upkeep.PersonalRows | undefined>

      /**
       * Erases some of the rows of a phone number, in a step so small that commands hardly wait for it. A step is
       * atomic and may be repeated. `undefined` if the organization does not exist.
       */
      readonly erase: (step: Upkeep.EraseStep) => StoreEffect<Upkeep.EraseResult | undefined>

      /**
       * Moves an organization's time, and the times of its messages, back to the store's clock. Every step
       * corrects the account's time first. `undefined` if the organization does not exist.
       */
      readonly repairTime: (step: Upkeep.RepairStep) => StoreEffect<Upkeep.RepairResult | undefined>
    }
>()("@countersign/core/ports/Store") {}
