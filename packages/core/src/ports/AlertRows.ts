/** The part of the store that reads alerts. Commands write them. */
import type * as Effect from "effect/Effect"
import type { Alerts } from "../domain/alerts/AlertState.ts"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"

export interface AlertQuery {
  /** The hours in which an organization has to have totals of messages: epoch milliseconds, inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly after: OrganizationId | undefined
  readonly limit: number
}

export interface AlertRows {
  /** `undefined` before the first examination. */
  readonly alerts: (
    organization: OrganizationId,
  ) => Effect.Effect<Alerts | undefined, StoreUnavailable>

  /**
   * Organizations with totals of messages in some hours or with an open alert, in ascending order, and when each was
   * last examined; 0 if never. The cost follows from their number, and from no other organization.
   */
  readonly examinable: (
    query: AlertQuery,
  ) => Effect.Effect<ReadonlyArray<Pick<Alerts, "organization" | "checkedAt">>, StoreUnavailable>
}
