/** The zone in which the reader sees and enters times. */
import { readStored, writeStored } from "./stored.ts"

export const zones = ["browser", "utc"] as const

export type ZoneChoice = (typeof zones)[number]

export const chosenZone = (): ZoneChoice =>
  zones.find((zone) => zone === readStored("zone")) ?? "browser"

export const chooseZone = (zone: ZoneChoice): void => writeStored("zone", zone)
