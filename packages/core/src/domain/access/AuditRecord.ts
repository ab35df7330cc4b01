/**
 * A record of the audit: who has changed what, when, from where, and why. Records contain no secret, no hash of a
 * secret and no whole phone number.
 */
import type { Actor } from "../values/Actor.ts"
import type { OrganizationId } from "../values/Ids.ts"

/** The fields of a thing, as JSON. */
export type Values = Readonly<Record<string, unknown>>

/** The content of a record, before it has its place. */
export interface NewAuditRecord {
  readonly actor: Actor
  /** The action, such as `api_key.created`. */
  readonly action: string
  /** The id of the changed thing; `null` without one. */
  readonly target: string | null
  /** The thing before the change; `null` if it did not exist. */
  readonly before: Values | null
  /** The thing after the change; `null` if it does not exist any more. */
  readonly after: Values | null
  readonly reason: string | null
}

/** Longest text about an actor that a record keeps, in UTF-16 units. */
export const maxActorLength = 200

/** The text as a store can keep it, because hosts pass texts of their callers, such as the name of a browser. */
export const storable = (text: string): string =>
  text
    .slice(0, maxActorLength)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")

const reasonOf = ({ reason }: Actor): string | null =>
  reason === undefined ? null : storable(reason)

/** A new record without a value, a target or a reason, unless given. */
export const newRecord = (
  given: Pick<NewAuditRecord, "actor" | "action"> & Partial<NewAuditRecord>,
): NewAuditRecord => ({
  target: null,
  before: null,
  after: null,
  reason: reasonOf(given.actor),
  ...given,
})

export interface AuditRecord extends Omit<NewAuditRecord, "actor"> {
  readonly organization: OrganizationId
  /** 1 for the organization's first record; has no gaps. */
  readonly sequence: number
  /** Epoch milliseconds. */
  readonly at: number
  /** `Actor.id`. */
  readonly actor: string
  /** `Actor.name`. */
  readonly actorName: string | null
  /** `Actor.origin`. */
  readonly origin: string | null
}

/** The record at its place. */
export const make = (
  { actor: { id, name, origin }, ...draft }: NewAuditRecord,
  place: Pick<AuditRecord, "organization" | "sequence" | "at">,
): AuditRecord => ({
  ...place,
  actor: storable(id),
  actorName: name === undefined ? null : storable(name),
  origin: origin === null ? null : storable(origin),
  ...draft,
})
