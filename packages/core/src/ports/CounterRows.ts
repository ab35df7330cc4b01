/** The part of the store with the counters of gateways and webhooks, and the states of gateways on the nodes. */
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { OrganizationId, WebhookId } from "../domain/values/Ids.ts"
import type { GatewayPeriod } from "../domain/messages/GatewayPeriod.ts"
import type { Counter } from "../domain/money/Counter.ts"
import type { WebhookAttempt } from "../domain/webhooks/WebhookAttempt.ts"

/** Selects counters of the slots that begin in a period. */
export interface CounterQuery {
  readonly kinds: ReadonlyArray<Counter["kind"]>
  readonly subjects: ReadonlyArray<string>
  /** Epoch milliseconds, inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Length of the slots into which the hours are added up: an hour or a UTC day. */
  readonly slotMillis: number
}

/** Selects attempts of a webhook. A field that is `undefined` selects all. */
export interface AttemptQuery {
  readonly organization: OrganizationId
  readonly webhookId: WebhookId
  readonly isTaken: boolean | undefined
  /** The `sequence` of an event. */
  readonly event: number | undefined
  /** Epoch milliseconds, inclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Selects attempts with a lower position. */
  readonly before: number | undefined
  readonly limit: number
}

export interface CounterRows {
  /** Counters, ordered by slot, kind, subject and name. Omits those that count nothing. Empty if `Records` has no totals. */
  readonly counters: (
    query: CounterQuery,
  ) => Effect.Effect<ReadonlyArray<Counter>, StoreUnavailable>

  /** Adds counters that no command counts. Does nothing if `Records` has no totals. */
  readonly addCounters: (counters: ReadonlyArray<Counter>) => Effect.Effect<void, StoreUnavailable>

  /** Adds periods of this node, or replaces them. */
  readonly saveGatewayPeriods: (
    periods: ReadonlyArray<GatewayPeriod>,
  ) => Effect.Effect<void, StoreUnavailable>

  /** The periods of a gateway that ended after a time or have not ended, newest first, at most `GatewayPeriod.maxRead`. */
  readonly gatewayPeriods: (
    gateway: string,
    from: number,
  ) => Effect.Effect<ReadonlyArray<GatewayPeriod>, StoreUnavailable>

  /** The attempts of a webhook that a query selects, newest first. */
  readonly webhookAttempts: (
    query: AttemptQuery,
  ) => Effect.Effect<ReadonlyArray<WebhookAttempt>, StoreUnavailable>
}

/** Whether an attempt is selected. */
export const selectsAttempt = (
  { before = Infinity, event, from = -Infinity, isTaken, to = Infinity }: AttemptQuery,
  { at, error, position, sequence }: WebhookAttempt,
): boolean =>
  position < before &&
  at >= from &&
  at <= to &&
  (event === undefined || event === sequence) &&
  (isTaken === undefined || isTaken === (error === null))
