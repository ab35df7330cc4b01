/**
 * A million requests to both interfaces and the callbacks, on every mount: random histories, as in `test/fuzz`.
 */
import * as Node from "@countersign/node/Node"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, inject, it } from "vitest"
import { adminFuzz } from "../fuzz/adminFuzz.ts"
import { fuzzCallbacks } from "../fuzz/callbacksFuzz.ts"
import { fuzz, type Fuzzed } from "../fuzz/histories.ts"
import { tenantFuzz } from "../fuzz/tenantFuzz.ts"
import { runCampaign } from "../support/campaign.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { temporaryScope } from "../support/temporaryScope.ts"

const timeout = 12 * 3_600_000

const collector = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  return () => void (typeof collect === "function" && collect())
}

const collect = collector()

/** Bytes of the heap that are in use after everything unused was collected. */
const usedBytes = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The heap of the first and the last tenth of the turns, after a turn that loads everything. */
const assertFlat = (heaps: ReadonlyArray<number>): void => {
  const warm = heaps.slice(1)
  if (warm.length < 10) return
  const tenth = Math.floor(warm.length / 10)
  const first = mean(warm.slice(0, tenth))
  const last = mean(warm.slice(-tenth))
  console.log(
    `heap: ${Math.round(first / 1024)} KiB, and ${Math.round(last / 1024)} KiB at the end`,
  )
  assert.isBelow(last, first * 1.1)
}

const layerPostgres = Layer.unwrap(
  Effect.map(freshDatabase(inject("postgresUrl")), (url) =>
    PostgresStore.layer({ clock: Clock.currentTimeMillis }).pipe(
      Layer.provide(PostgresClient.layer({ url })),
      Layer.provide(Node.layerCrypto),
    ),
  ),
).pipe(Layer.orDie)

/** Each turn has engines of its own. */
const campaigns = [
  ["http-fuzz-tenant", (seed: number) => tenantFuzz(seed), 6_000],
  ["http-fuzz-admin", (seed: number) => adminFuzz(seed), 2_500],
  [
    "http-fuzz-tenant-postgres",
    (seed: number) => tenantFuzz(seed, { names: ["node"], store: layerPostgres }),
    1_000,
  ],
  [
    "http-fuzz-admin-postgres",
    (seed: number) => adminFuzz(seed, { names: ["node"], store: layerPostgres }),
    1_000,
  ],
] as const

const play = (fuzzed: Fuzzed, first: number, end: number) =>
  fuzz(fuzzed, { seed: first + 1, histories: end - first, steps: 40 })

describe("a million requests", () => {
  it.each(campaigns)(
    "%s: no answer is outside the contract",
    { timeout },
    async (name, make, count) => {
      const heaps: Array<number> = []
      await runCampaign({
        name,
        count,
        turn: 100,
        run: async (first, end) => {
          const found = await Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const fuzzed = yield* make(first + 1)
                const requests = yield* Effect.promise(() => play(fuzzed, first, end))
                return { requests, ...Object.fromEntries(fuzzed.checks.counts) }
              }),
            ),
          )
          heaps.push(usedBytes())
          return found
        },
      })
      assertFlat(heaps)
    },
  )

  it(
    "http-fuzz-memory: nothing is left in the memory of mounts that go on",
    { timeout },
    async () => {
      const { close, run } = temporaryScope()
      const fuzzed = await run(tenantFuzz(1, { isPoor: true }))
      const heaps: Array<number> = []
      await runCampaign({
        name: "http-fuzz-memory",
        count: 2_000,
        turn: 50,
        run: async (first, end) => {
          const requests = await play(fuzzed, first, end)
          heaps.push(usedBytes())
          return { requests }
        },
      })
      await close()
      assertFlat(heaps)
    },
  )

  it("http-fuzz-callbacks: no answer is outside the contract", { timeout }, async () => {
    const heaps: Array<number> = []
    await runCampaign({
      name: "http-fuzz-callbacks",
      count: 20_000,
      turn: 1_000,
      run: async (first, end) => {
        const { sent } = await fuzzCallbacks(first + 1, end - first)
        heaps.push(usedBytes())
        return { requests: sent }
      },
    })
    assertFlat(heaps)
  })
})
