import { PgPool } from "@effect/sql-pg"
import { assert, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HostPoolClient from "../src/HostPoolClient.ts"
import { pgPool } from "./fixtures/hostPools.ts"

it.live("a pool without a free connection fails after five seconds, and gets a late one back", () =>
  Effect.gen(function* () {
    const own = yield* pgPool({ max: 2 })
    const pool = yield* Effect.provide(PgPool.PgPool, HostPoolClient.layer({ pool: own }))
    const clients = yield* Effect.promise(() => Promise.all([own.connect(), own.connect()]))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const failing = Effect.runFork(Effect.flip(pool.use(() => Effect.void)))
    vi.advanceTimersByTime(5_000)
    vi.useRealTimers()
    const { reason } = yield* Fiber.join(failing)
    assert.strictEqual(reason.operation, "connect")
    assert.match(reason.message, /^The pool of the host gave no connection within 5 seconds/)
    assert.strictEqual(own.waitingCount, 1)
    for (const client of clients) client.release()
    assert.deepStrictEqual([own.waitingCount, own.idleCount], [0, 2])
  }),
)
