/** Reads the durations in the options of a vendor. */
import * as Duration from "@countersign/core/domain/values/Duration"

/** The milliseconds of an option. Throws a `RangeError` that names the option. Bounds are in milliseconds. */
export const millis = (
  name: string,
  value: Duration.Duration | undefined,
  min = 0,
  max = Duration.maxMillis,
): number | undefined =>
  value === undefined ? undefined : Duration.millisOfOption(name, value, { min, max })

/** The same in units of a vendor, rounded up. */
export const inUnits = (unitMillis: number, ...option: Parameters<typeof millis>) => {
  const length = millis(...option)
  return length === undefined ? undefined : Math.ceil(length / unitMillis)
}
