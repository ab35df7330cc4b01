/** The types of limits as people write them. Has no type of Effect. */
import type { Duration } from "../values/DurationText.ts"

/** At most `max` events in any interval of this length, up to 31 days. */
export interface Limit {
  readonly max: number
  readonly per: Duration
}

/** One limit, or up to four that all apply. */
export type WindowLimit = Limit | ReadonlyArray<Limit>

/** Bounds and default of a number that callers choose. */
export interface Range {
  readonly min: number
  readonly max: number
  readonly default: number
}

/** Bounds and default of a duration that callers choose. */
export interface DurationRange {
  readonly min: Duration
  readonly max: Duration
  readonly default: Duration
}
