/** The small steps in which a store drops old rows, repairs times, and reads and erases the rows of a phone number. */
import type * as Erasure from "../decide/maintenance/Erasure.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import type { Digests } from "../domain/verifications/KnownClient.ts"
import type { Kind } from "../decide/maintenance/Pruning.ts"

/** A small step of retention. `Pruning` defines which rows a step may drop. */
export interface PruneStep {
  readonly organization: OrganizationId
  readonly kind: Kind
  /** Minimum age of a dropped row in milliseconds, by the store's clock. */
  readonly keepMillis: number
  /** `next` of the previous step, for `codes` the sequence of a message; `undefined` for the first step. */
  readonly after: string | undefined
  /** Maximum number of rows that the step examines. */
  readonly limit: number
}

export interface PruneResult {
  readonly dropped: number
  /** Start of the next step; `undefined` when no rows are left to drop, or another node is dropping them. */
  readonly next: string | undefined
}

/** A small piece of `TimeRepair` for one organization. */
export interface RepairStep extends Pick<PruneStep, "organization" | "after"> {
  /** Maximum number of messages that the step examines. */
  readonly limit: number
}

export interface RepairResult {
  /** Number of messages that the step has changed. */
  readonly messages: number
  /** Start of the next step; `undefined` when the repair is complete. */
  readonly next: string | undefined
}

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
