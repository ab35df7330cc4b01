/** Totals of an organization for charts and reports: messages, requests, bookings and delivery times. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Access } from "../engine/Access.ts"
import * as Total from "../domain/money/Total.ts"
import * as TimeZone from "../domain/values/TimeZone.ts"
import type * as Operation from "../api/Operation.ts"
import type { totals } from "../api/totals.ts"
import { FieldProblems } from "../api/internal/fieldProblems.ts"
import { Store } from "../ports/Store.ts"

export type Query = Operation.Inputs<typeof totals>["read"]

const slots = { hour: Total.hourMillis, day: Total.dayMillis } as const

/** Maximum number of slots in a period. */
export const maxSlots = 1_000

export class Totals extends Context.Service<Totals, Operation.HostMethods<typeof totals>>()(
  "@countersign/core/services/Totals",
) {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const store = yield* Store
  return Totals.of({
    read: Effect.fn("Totals.read")(function* ({
      by,
      every = "day",
      from,
      kinds = Total.kinds,
      organization,
      to,
      zone: given,
    }) {
      const { settings } = yield* access.load(organization)
      const problems = new FieldProblems()
      if (given !== undefined && !TimeZone.isZone(given)) problems.fail("zone", "unknown_zone", {})
      const zone = problems.error === undefined ? (given ?? settings.zone ?? "UTC") : "UTC"
      const tooMany = to - from > maxSlots * slots[every]
      const [starts, end] = TimeZone.slotsOf(zone, every, from, tooMany ? from : to)
      const [start = from] = starts
      if (start > to) problems.fail("from", "after_to", {})
      if (tooMany || starts.length > maxSlots) {
        problems.fail("to", "too_many_slots", { max: maxSlots })
      }
      if (problems.error !== undefined) return yield* problems.error
      if (start === to) return []
      const query = { kinds, from: start, to: end }
      const isUtc = every === "day" && [...starts, end].every((at) => at % Total.dayMillis === 0)
      const rows = yield* store.totals(
        organization,
        isUtc
          ? { ...query, slotMillis: Total.dayMillis }
          : { ...query, slotMillis: Total.quarterMillis, starts },
      )
      return by === undefined ? rows : Total.by(rows, by)
    }),
  })
})

export const layer = Layer.effect(Totals, make)
