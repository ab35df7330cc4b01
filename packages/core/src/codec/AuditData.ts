/**
 * Plain data of the audit.
 */
import type * as Inputs from "../api/Inputs.ts"
import type { OfOrganization, Times } from "./Data.ts"

/** The person or the program that calls of this API are made for. */
export interface Actor {
  /** Your own id of the actor, such as a user's id. */
  readonly id: string
  /** Where the actor is, such as an address or the name of a program. @defaultValue unknown */
  readonly origin?: string | undefined
  /** Why the actor makes the changes. A reason that a call states itself takes precedence. @defaultValue none */
  readonly reason?: string | undefined
}

/** An administrative change, or an action that you have recorded. It never changes. */
export interface AuditEntry {
  /** The position in the organization's audit, from 1 without gaps. */
  readonly sequence: number
  readonly at: Date
  /** `Actor.id`; `host` for calls without an actor. */
  readonly actor: string
  /** `Actor.origin`; `null` if it is unknown. */
  readonly origin: string | null
  /** What was done, such as `api_key.created`. */
  readonly action: string
  /** The id of the changed thing. */
  readonly target: string | null
  /** The thing before the change, as JSON; `null` if it did not exist. Times are epoch milliseconds. */
  readonly before: Readonly<Record<string, unknown>> | null
  /** The thing after the change; `null` if it does not exist any more. */
  readonly after: Readonly<Record<string, unknown>> | null
  readonly reason: string | null
}

/** Selects a part of the audit. */
export interface ReadAudit extends OfOrganization, Inputs.ReadAudit, Times {}

/** An action to record in the audit. */
export interface RecordAudit extends OfOrganization, Inputs.RecordAudit {}

/** A part of the audit, newest first. */
export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry>
  /**
   * `before` of the next page; `null` after the last page. A page with filters examines at most 1,000 entries, so it
   * may have fewer than `limit`, or none, although there is a next page.
   */
  readonly next: number | null
  /** The `sequence` of the oldest entry that retention has kept. */
  readonly first: number
  /** The `sequence` of the newest entry; 0 before the first. */
  readonly last: number
}
