import { slotsOf } from "@countersign/core/domain/values/TimeZone"
import { assert, it } from "vitest"
import { slotsUntil } from "../packages/dashboard/app/ui/zonedSlots.ts"

/** Days on which clocks change, and others. */
const times = [
  Date.UTC(2026, 2, 8, 12),
  Date.UTC(2026, 2, 30, 12),
  Date.UTC(2026, 9, 26, 3),
  Date.UTC(2026, 10, 27, 18, 14),
]

it.each([
  "UTC",
  "Asia/Dhaka",
  "Asia/Kathmandu",
  "America/Havana",
  "Europe/Berlin",
  "America/St_Johns",
])("the slots of %s are those into which the service divides totals", (zone) => {
  for (const at of times)
    for (const every of ["hour", "day"] as const) {
      const { end, starts } = slotsUntil(zone, every, 10, at)
      assert.lengthOf(starts, 10)
      assert.isAtMost(starts.at(-1) ?? Infinity, at)
      assert.isAbove(end, at)
      const expected = slotsOf(zone, every, starts[0] ?? at, end)
      assert.deepStrictEqual([starts, end], [...expected])
    }
})
