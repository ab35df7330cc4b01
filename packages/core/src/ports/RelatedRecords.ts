/**
 * Reads the ledger entries and the events that concern some messages or a request. Neither log is indexed by them, so
 * a read examines a limited number of rows, from a time on.
 */
import type { Entry } from "../domain/money/Account.ts"
import type { LoggedEvent } from "../domain/events/Event.ts"
import type { RequestId } from "../domain/values/Ids.ts"

export interface TraceQuery {
  /** Epoch milliseconds, inclusive. */
  readonly from: number
  /** Selects entries and events by their `messageSequence`. */
  readonly messages: ReadonlyArray<number>
  /** Selects events by their `requestId`. */
  readonly requestId: RequestId | null
  /** Maximum number of entries, and of events, that the read examines. */
  readonly examine: number
}

export interface Trace {
  /** In ascending order, like the events. */
  readonly entries: ReadonlyArray<Entry>
  readonly events: ReadonlyArray<LoggedEvent>
  /** All rows from `from` to this time, exclusive, were examined. `undefined`: all later rows as well. */
  readonly until: number | undefined
}

/** The earlier end of two reads. */
export const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
