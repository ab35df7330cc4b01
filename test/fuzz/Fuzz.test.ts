/**
 * Random histories of requests to both interfaces, on every mount. `test/soak/HttpFuzz.soak.test.ts` plays a million
 * requests.
 */
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { adminFuzz } from "./adminFuzz.ts"
import { checkNames } from "./checks.ts"
import { fuzz } from "./histories.ts"
import { tenantFuzz } from "./tenantFuzz.ts"

const { COUNTERSIGN_FUZZ_PATH: path, COUNTERSIGN_FUZZ_SEED: seed = "1" } = process.env

const rows = [
  ["the HTTP interface", tenantFuzz, { histories: 30, steps: 40 }],
  ["the admin API", adminFuzz, { histories: 25, steps: 40 }],
] as const

/** How often each check has judged an answer. */
const judged = new Map<string, number>()

describe("random requests", () => {
  it.each(rows)("get the documented answer, and the same on every mount: %s", (_, make, size) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const fuzzed = yield* make(Number(seed))
          yield* Effect.promise(() => fuzz(fuzzed, { seed: Number(seed), path, ...size }))
          for (const [name, count] of fuzzed.checks.counts) {
            judged.set(name, (judged.get(name) ?? 0) + count)
          }
        }),
      ),
    ),
  )

  it("are judged by each check", ({ skip }) => {
    if (path !== undefined) skip("One history is replayed.")
    assert.deepStrictEqual(
      checkNames.filter((name) => (judged.get(name) ?? 0) === 0),
      [],
    )
  })
})
