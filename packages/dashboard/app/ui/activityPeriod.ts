/** The period that a page shows. The address has it. */
import { useMemo, useState } from "react"
import { useSearchParams } from "wouter"

const hour = 3_600_000
const day = 24 * hour

const lengths = { "24h": day, "7d": 7 * day, "30d": 30 * day, "90d": 90 * day } as const

export type PeriodName = keyof typeof lengths

export const periodNames: ReadonlyArray<PeriodName> = ["24h", "7d", "30d", "90d"]

export interface ActivityPeriod {
  readonly from: string
  readonly to: string
  readonly every: "hour" | "day"
}

/** Whole slots, the last of which runs now. The period before has the same length. */
export const periodBefore = ({ every, from, to }: ActivityPeriod): ActivityPeriod => {
  const length = Date.parse(to) - Date.parse(from)
  return { every, from: new Date(Date.parse(from) - length).toISOString(), to: from }
}

export const activityPeriod = (name: PeriodName, now: number): ActivityPeriod => {
  const every = name === "24h" || name === "7d" ? "hour" : "day"
  const slot = every === "hour" ? hour : day
  const end = Math.ceil((now + 1) / slot) * slot
  const iso = (at: number) => new Date(at).toISOString()
  return { from: iso(end - lengths[name]), to: iso(end), every }
}

/** The starts of the slots of a period, in epoch milliseconds. */
export const slotsOf = ({ every, from, to }: ActivityPeriod): ReadonlyArray<number> => {
  const slot = every === "hour" ? hour : day
  const start = Date.parse(from)
  return Array.from(
    { length: Math.round((Date.parse(to) - start) / slot) },
    (_, index) => start + index * slot,
  )
}

export const useActivityPeriod = () => {
  const [search, setSearch] = useSearchParams()
  const [now] = useState(() => Date.now())
  const name = periodNames.find((one) => one === search.get("period")) ?? "24h"
  const period = useMemo(() => activityPeriod(name, now), [name, now])
  const choose = (next: string) =>
    setSearch((before) => {
      const after = new URLSearchParams(before)
      after.set("period", next)
      return after
    })
  return { name, period, choose }
}
