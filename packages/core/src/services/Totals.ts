/** Totals of an organization for charts and reports: messages, requests, bookings and delivery times. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Total from "../domain/money/Total.ts"
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
  const store = yield* Store
  return Totals.of({
    read: Effect.fn("Totals.read")(function* ({
      by,
      every = "day",
      from,
      kinds = Total.kinds,
      organization,
      to,
    }) {
      const slotMillis = slots[every]
      const start = Total.slotOf(from, slotMillis)
      const problems = new FieldProblems()
      if (start > to) problems.fail("from", "after_to", {})
      if (to > start + maxSlots * slotMillis) {
        problems.fail("to", "too_many_slots", { max: maxSlots })
      }
      if (problems.error !== undefined) return yield* problems.error
      const end = Math.ceil(to / slotMillis) * slotMillis
      const rows = yield* store.totals(organization, { kinds, from: start, to: end, slotMillis })
      return by === undefined ? rows : Total.by(rows, by)
    }),
  })
})

export const layer = Layer.effect(Totals, make)
