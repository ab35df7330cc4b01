/** A small run of `test/soak/Timing.soak.test.ts`: it finds a comparison that leaks much, and not the engine's. */
import { assert, describe, it } from "vitest"
import { control, isConstant, subjects } from "./support/timings.ts"

/** dudect calls a function leaky from here on. */
const certain = 10

describe("The time of a refusal", () => {
  it(`reveals ${control.title}`, async () => {
    assert.isAbove((await control.measure(20_000)).t, certain)
  })

  it.each(subjects)("does not reveal $title", async (subject) => {
    const found = await subject.measure(3_000)
    // Few calls are slow calls: what has ten times the limit in nanoseconds is slower.
    const { nanoseconds = 0 } = subject
    const isFound = !isConstant({ ...subject, nanoseconds: 10 * nanoseconds }, found, certain)
    assert.isFalse(isFound, JSON.stringify(found))
  })
})
