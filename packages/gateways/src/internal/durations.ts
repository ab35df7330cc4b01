/** Reads the durations in the options of a vendor. */
import * as Duration from "@countersign/core/domain/values/Duration"

interface Bounds {
  readonly min: number
  readonly max: number
}

/** The milliseconds of an option. Throws a `RangeError` that names the option. `bounds`: in milliseconds. */
export const millis = (
  name: string,
  value: Duration.Duration | undefined,
  bounds: Bounds = { min: 0, max: Duration.maxMillis },
): number | undefined =>
  value === undefined ? undefined : Duration.millisOfOption(name, value, bounds)

/** The same in units of a vendor, rounded up. */
export const inUnits = (
  unitMillis: number,
  name: string,
  value: Duration.Duration | undefined,
  bounds: Bounds,
): number | undefined => {
  const length = millis(name, value, bounds)
  return length === undefined ? undefined : Math.ceil(length / unitMillis)
}
