/**
 * Reads and erases what a store keeps of a phone number, in small steps.
 */
import type * as Erasure from "../decide/maintenance/Erasure.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import type { Digests } from "../domain/verifications/KnownClient.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"

/** Selects some of the rows that are stored of a phone number. */
export interface PersonalStep {
  readonly organization: OrganizationId
  /** `next` of the previous step; `undefined` for the first step. */
  readonly after: string | undefined
  /** Maximum number of rows that the step examines. */
  readonly limit: number
  readonly kind: Erasure.Kind
  readonly phoneNumber: PhoneNumber
  /** Digests of the number under all secrets. */
  readonly digests: Digests
}

export interface PersonalRows {
  readonly rows: Erasure.Rows
  /** Start of the next step; `undefined` after the last rows of this kind. */
  readonly next: string | undefined
}

/** A small step of an erasure. `Erasure` defines what it changes. */
export interface EraseStep extends PersonalStep, Pick<Erasure.Erasure, "answer"> {}

export interface EraseResult
  extends Pick<PersonalRows, "next">, Pick<Erasure.Erased, "counts" | "left"> {}
