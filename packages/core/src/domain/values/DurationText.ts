/** The type of durations as people write them. Has no type of Effect. */

/** A decimal and a unit: `"60 seconds"`, `"1.5 hours"`. A bare number is refused. */
export type Duration =
  | `${number} millisecond`
  | `${number} milliseconds`
  | `${number} second`
  | `${number} seconds`
  | `${number} minute`
  | `${number} minutes`
  | `${number} hour`
  | `${number} hours`
  | `${number} day`
  | `${number} days`
