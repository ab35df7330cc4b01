import { it } from "@effect/vitest"
import { compareWithLibrary } from "../support/plannedNumbers.ts"

it("accepts only numbers that libphonenumber accepts: 1,000,000 numbers of all countries", () => {
  compareWithLibrary(1_000_000)
})
