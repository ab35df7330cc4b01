/**
 * A phone number that gets no promotional messages of an organization. The row has a keyed digest instead of the number,
 * so it survives an erasure of the number, and protects its owner afterwards.
 */
import type { OrganizationId } from "../values/Ids.ts"

export interface OptOut {
  readonly organization: OrganizationId
  /** A keyed digest of the number. */
  readonly digest: string
  /** Epoch milliseconds. */
  readonly addedAt: number
  /** When the number was removed from the list; `null` while it is on it. */
  readonly removedAt: number | null
}

/** Maximum number of phone numbers in a change of the list. */
export const maxNumbers = 1_000

export const isActive = (self: OptOut | undefined): self is OptOut =>
  self !== undefined && self.removedAt === null
