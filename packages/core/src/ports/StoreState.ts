/** The state of a store: whether it can serve, and the numbers that operators watch. */
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { Money } from "../domain/values/Money.ts"

/** The connections of this node to the database. */
export interface Connections {
  /** Those that run statements of the engine. */
  readonly inUse: number
  /** Statements that wait for a connection. */
  readonly waiting: number
  /** Maximum number of connections; 0 if the store has none of its own. */
  readonly max: number
}

/** For how many milliseconds the oldest work of each job is overdue; 0 if none is. */
export interface Lags {
  /** Messages that settlement should have taken up. */
  readonly settlement: number
  /** Queued sends that are due. */
  readonly outbox: number
  /** Retries of enabled webhooks that are due, and that no node makes. */
  readonly webhooks: number
  /** Events that an enabled webhook has not got yet. */
  readonly events: number
}

/** Numbers of organizations, by the first reason that applies. */
export interface UnableToSend {
  readonly suspended: number
  /** No channel has an approved default sender. */
  readonly noSender: number
  /** The organization has spent what it had. */
  readonly noBalance: number
}

/** A summary over all organizations. Reading it takes as long as there are organizations. */
export interface StoreSummary {
  readonly lags: Lags
  readonly unableToSend: UnableToSend
  /** Amount of the open holds. */
  readonly held: Money
}

export interface StoreState {
  /** Whether the tables are those that this build needs. Asks the database each time. */
  readonly isMigrated: Effect.Effect<boolean, StoreUnavailable>
  readonly connections: Effect.Effect<Connections>
  /** Number of rows that the node keeps to save reads. */
  readonly rowsInMemory: Effect.Effect<number>
  readonly summary: Effect.Effect<StoreSummary, StoreUnavailable>
}
