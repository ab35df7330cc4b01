/**
 * The port to whatever keeps the state.
 *
 * A store executes the commands of one organization one after another: it takes
 * the organization's account, loads the view that the command needs, asks
 * `Decision.decide`, writes what it says, and makes that durable before it
 * answers. It has no rule of its own. Commands that wait may share a commit.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Account, Entry } from "../domain/Account.ts"
import type { ApiKey } from "../domain/ApiKey.ts"
import type { Command, CommandResult, Tag } from "../decide/Command.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { Event } from "../domain/Event.ts"
import type { ReportStatus } from "../domain/GatewayOutcome.ts"
import type { ApiKeyId, MessageRef, OrganizationId, RequestId } from "../domain/Ids.ts"
import type { Message } from "../domain/Message.ts"
import type { Money } from "../domain/Money.ts"
import type { Organization } from "../domain/Organization.ts"
import type { Kind } from "../decide/Pruning.ts"
import type { Report } from "../domain/Report.ts"
import type { Finding } from "../domain/PrefixStats.ts"
import type { Verification } from "../domain/Verification.ts"

/** An outcome that is durable, and what it means for whoever listens. */
export interface Committed<out A> {
  readonly outcome: A
  readonly events: ReadonlyArray<Event>
}

/** A key, and the organization that it belongs to for good. */
export interface OwnedApiKey {
  readonly organization: OrganizationId
  readonly key: ApiKey
  /** Whether the organization is suspended, which makes the key useless for as long. */
  readonly isSuspended: boolean
}

/** An organization in a list. */
export interface OrganizationSummary {
  readonly id: OrganizationId
  readonly name: string
  readonly isSuspended: boolean
  /** What can be spent; open holds are already taken off. */
  readonly balance: Money
  readonly held: Money
  /** Number of API keys that are not revoked. */
  readonly activeApiKeys: number
}

/** A page of an organization's log, newest first. */
export interface MessageQuery {
  /** Epoch milliseconds, included; `undefined` for no bound. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** How many of the newest matching messages to pass over. */
  readonly skip: number
  readonly limit: number
}

export interface MessagePage {
  /** The account's version at the time of reading. */
  readonly version: number
  /** How many messages match, exactly. */
  readonly total: number
  readonly messages: ReadonlyArray<Message>
}

/** A small piece of forgetting what is old; `Pruning` says what may go. */
export interface PruneStep {
  readonly organization: OrganizationId
  readonly kind: Kind
  /** How old a row has to be, by the store's clock. */
  readonly keepMillis: number
  /** `next` of the step before this one; `undefined` for the first. */
  readonly after: string | undefined
  /** Most rows that the step looks at. */
  readonly limit: number
}

export interface Pruned {
  readonly dropped: number
  /** Where to go on; `undefined` when nothing more is to be dropped, or somebody else is dropping it. */
  readonly next: string | undefined
}

/** A small piece of `TimeRepair` for one organization. */
export interface RepairStep {
  readonly organization: OrganizationId
  /** `next` of the step before this one; `undefined` for the first. */
  readonly after: string | undefined
  /** Most messages that the step looks at. */
  readonly limit: number
}

export interface Repaired {
  /** How many messages the step has rewritten. */
  readonly messages: number
  /** Where to go on; `undefined` when the repair is complete. */
  readonly next: string | undefined
}

/** A report on a message that nobody knows yet, kept until somebody does. */
export interface KeptReport {
  readonly gateway: string
  readonly gatewayId: string
  readonly status: ReportStatus
  readonly detail: string | null
  /** What came, masked. */
  readonly raw: string | null
  /** Epoch milliseconds, by the store's clock. */
  readonly receivedAt: number
}

export class Store extends Context.Service<
  Store,
  {
    /** Decides on a command and makes the decision durable. */
    readonly execute: <T extends Tag>(
      command: Command<T>,
    ) => Effect.Effect<Committed<CommandResult<T>>, StoreUnavailable>

    /** Adds an organization with an empty account; `false` when the id is taken. */
    readonly createOrganization: (
      organization: Omit<Organization, "version">,
    ) => Effect.Effect<boolean, StoreUnavailable>

    /**
     * Changes an organization under its lock and raises its version. `change`
     * is pure and may be run more than once; `now` is the store's time.
     */
    readonly changeOrganization: (
      id: OrganizationId,
      change: (organization: Organization, now: number) => Organization,
    ) => Effect.Effect<Organization | undefined, StoreUnavailable>

    readonly organization: (
      id: OrganizationId,
    ) => Effect.Effect<Organization | undefined, StoreUnavailable>

    /** All organizations' ids, in their own order, after the given one. */
    readonly organizations: (
      after: OrganizationId | undefined,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<OrganizationId>, StoreUnavailable>

    /**
     * Summaries of organizations, ordered by id, after the given id. One read, whatever the limit; its cost
     * does not depend on an organization's history.
     */
    readonly organizationSummaries: (
      after: OrganizationId | undefined,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<OrganizationSummary>, StoreUnavailable>

    /** The key with this id, revoked or not, in one read that takes as long where there is none. */
    readonly apiKey: (id: ApiKeyId) => Effect.Effect<OwnedApiKey | undefined, StoreUnavailable>

    readonly account: (id: OrganizationId) => Effect.Effect<Account | undefined, StoreUnavailable>

    /** Ledger entries with a number above `after`, in order. */
    readonly entries: (
      id: OrganizationId,
      after: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Entry>, StoreUnavailable>

    /**
     * One request, and the organization's time at the reading. A request is not shown as expired before
     * that is durable: no later answer takes it back, whatever the clock does.
     */
    readonly verification: (
      organization: OrganizationId,
      id: RequestId,
    ) => Effect.Effect<
      { readonly verification: Verification; readonly now: number } | undefined,
      StoreUnavailable
    >

    readonly messages: (
      organization: OrganizationId,
      query: MessageQuery,
    ) => Effect.Effect<MessagePage | undefined, StoreUnavailable>

    /** One message of the log, and the account's version at the reading; `undefined` without the organization. */
    readonly message: (
      ref: MessageRef,
    ) => Effect.Effect<
      { readonly version: number; readonly message: Message | undefined } | undefined,
      StoreUnavailable
    >

    /**
     * Messages whose `dueAt` has come, the longest overdue first; none of the organizations in `without`.
     * @defaultValue `without`: `[]`
     */
    readonly due: (
      limit: number,
      without?: ReadonlyArray<OrganizationId>,
    ) => Effect.Effect<ReadonlyArray<MessageRef>, StoreUnavailable>

    /**
     * The message that a gateway knows by this id: one for which a decision has written
     * `Message.GatewayId`. Gateways may give an id again, so there may be several. Open messages come
     * before final ones, then the newest. A final message is not found from its id's `expiresAt` on, by
     * the store's clock; an open one always is. An id that finds no message may be dropped.
     */
    readonly locate: (
      gateway: string,
      gatewayId: string,
    ) => Effect.Effect<MessageRef | undefined, StoreUnavailable>

    /** Keeps a report until `forgetReport`; the same report twice is one. */
    readonly keepReport: (
      report: Omit<KeptReport, "receivedAt">,
    ) => Effect.Effect<void, StoreUnavailable>

    /**
     * Kept reports in an order of the store's own, which comes to every one of them: those after the given
     * one, which may be gone by now, or the first.
     */
    readonly keptReports: (
      after: KeptReport | undefined,
      limit: number,
    ) => Effect.Effect<
      { readonly now: number; readonly reports: ReadonlyArray<KeptReport> },
      StoreUnavailable
    >

    /** What has come in on a message, in the order in which it was taken in; at most `Report.maxKept`. */
    readonly reports: (
      message: MessageRef,
    ) => Effect.Effect<ReadonlyArray<Report>, StoreUnavailable>

    /** What was found in an organization, newest first; then by prefix and reason, downwards. */
    readonly findings: (
      organization: OrganizationId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Finding>, StoreUnavailable>

    readonly forgetReport: (report: KeptReport) => Effect.Effect<void, StoreUnavailable>

    /**
     * Drops some of what may go, in a step so small that commands hardly wait for it. What is dropped
     * is as if it had never been, but for the ledger and the numbers that messages have used up.
     * Nothing is half dropped, whatever happens; a step may be repeated, and taken by many at once.
     */
    readonly prune: (step: PruneStep) => Effect.Effect<Pruned, StoreUnavailable>

    /**
     * Moves an organization's time, and its messages, back to the store's clock where they are ahead of it.
     * Every step has the account's time corrected first. `undefined` where there is no such organization.
     */
    readonly repairTime: (step: RepairStep) => Effect.Effect<Repaired | undefined, StoreUnavailable>
  }
>()("@countersign/core/ports/Store") {}
