import { it } from "@effect/vitest"
import { compareWithLibrary } from "../support/plannedNumbers.ts"

it("accepts only numbers that libphonenumber accepts, and for the same country", () => {
  compareWithLibrary(60_000)
})
