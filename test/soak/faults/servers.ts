/** Faults that leave a node with another server, or with an earlier state of its database. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import { rmSync, statfsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { PostgresServer } from "../../support/PostgresServer.ts"
import type { Patroni } from "../../support/patroni.ts"
import { startStandby } from "../../support/standby.ts"
import { onServer } from "../../../packages/postgres/test/fixtures/onServer.ts"
import type { Faults } from "./sessions.ts"
import { up } from "./sessions.ts"
import type { World } from "./World.ts"

/** F14: SIGKILL of the postmaster. Its sessions end, and it starts again from its log. */
export const crashes = (server: PostgresServer): Faults<unknown> =>
  Effect.fnUntraced(function* ({ ask, load }, trials, draw) {
    for (let trial = 0; trial < trials; trial++) {
      yield* load.next(1 + Math.floor(draw() * 20))
      yield* Effect.promise(() => server.kill())
      yield* Effect.promise(() => server.start())
      yield* up(ask)
      yield* load.next(6)
    }
    return { crashes: trials }
  })

const everySoOften = { schedule: Schedule.spaced("10 millis"), times: 3_000 } as const

/** Waits until a server has a row. */
const until = (url: string, sql: string) =>
  Effect.repeat(onServer(url, sql), { ...everySoOften, until: (rows) => rows.length > 0 })

const promote = (standby: PostgresServer) =>
  Effect.andThen(
    onServer(standby.url, "SELECT pg_promote()"),
    until(standby.url, "SELECT 1 WHERE NOT pg_is_in_recovery()"),
  )

/**
 * F19, F20: the primary ends with SIGKILL, its standby takes over, and gets a standby of its own. `isSynchronous`:
 * whether commits wait for the standby. One that does not wait loses what the standby has not received.
 */
export const failovers = (
  first: PostgresServer,
  settings: Readonly<Record<string, string>>,
  isSynchronous: boolean,
): Faults<unknown> =>
  Effect.fnUntraced(function* (world, trials, draw) {
    let primary = first
    for (let trial = 0; trial < trials; trial++) {
      const standby: PostgresServer = yield* startStandby(primary, { fsync: false, settings })
      if (isSynchronous) {
        yield* onServer(
          primary.url,
          "ALTER SYSTEM SET synchronous_standby_names = 'standby'",
          "SELECT pg_reload_conf()",
        )
        yield* until(primary.url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
      }
      yield* world.load.next(10 + Math.floor(draw() * 50))
      if (!isSynchronous) {
        yield* onServer(
          standby.url,
          "ALTER SYSTEM SET primary_conninfo = ''",
          "SELECT pg_reload_conf()",
        )
        yield* until(primary.url, "SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_stat_replication)")
        yield* world.load.next(10 + Math.floor(draw() * 50))
      }
      const old = primary
      yield* Effect.promise(() => old.kill())
      // What it has answered until its end may be lost.
      if (!isSynchronous) world.load.mark()
      yield* promote(standby)
      world.repoint(standby.url)
      yield* up(world.ask)
      yield* world.load.next(10)
      yield* Effect.promise(() => old.stop())
      primary = standby
    }
    return { [isSynchronous ? "failovers" : "asynchronousFailovers"]: trials }
  })

/** F19 under Patroni: the primary ends with SIGKILL, and a balancer finds the next one. */
export const patroniFailovers = ({ kill, primary, standby }: Patroni): Faults<unknown> =>
  Effect.fnUntraced(function* (world, trials, draw) {
    for (let trial = 0; trial < trials; trial++) {
      yield* Effect.promise(standby)
      const old = yield* Effect.promise(() => primary())
      yield* world.load.next(10 + Math.floor(draw() * 50))
      kill(old)
      world.repoint(yield* Effect.promise(() => primary(old)))
      yield* up(world.ask)
      yield* world.load.next(10)
    }
    return { patroniFailovers: trials }
  })

const copy = (server: string, from: string, to: string) =>
  onServer(
    server,
    `ALTER DATABASE ${from} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${from}'`,
    `DROP DATABASE IF EXISTS ${to} WITH (FORCE)`,
    `CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY file_copy`,
    `ALTER DATABASE ${from} ALLOW_CONNECTIONS true`,
  )

const nameOf = ({ url }: World): string => new URL(url()).pathname.slice(1)

/** A database is restored to an earlier backup while nodes have rows of it in memory. */
export const restores = ({ url: server }: PostgresServer): Faults<unknown> =>
  Effect.fnUntraced(function* (world, trials, draw) {
    const name = nameOf(world)
    const backup = `${name}_backup`
    yield* Effect.addFinalizer(() =>
      Effect.ignore(onServer(server, `DROP DATABASE IF EXISTS ${backup} WITH (FORCE)`)),
    )
    for (let trial = 0; trial < trials; trial++) {
      yield* copy(server, name, backup)
      yield* world.load.next(5 + Math.floor(draw() * 40))
      yield* copy(server, backup, name)
      world.load.mark()
      yield* up(world.ask)
      yield* world.load.next(10)
    }
    return { restores: trials }
  })

/** F23: the disk of the server is full for a while. The server may end, and is then started again. */
export const fullDisk = (server: PostgresServer): Faults<unknown> =>
  Effect.fnUntraced(function* (world, trials, draw) {
    const filler = join(dirname(server.dataDir), "filler")
    let ends = 0
    for (let trial = 0; trial < trials; trial++) {
      const { bavail, bsize } = statfsSync(dirname(server.dataDir))
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - Math.floor(draw() * 65_536))))
      yield* Effect.timeoutOption(world.load.nextUnavailable, "20 seconds")
      rmSync(filler)
      const isUp = yield* Effect.exit(onServer(server.url, "SELECT 1"))
      if (Exit.isFailure(isUp)) {
        ends += 1
        yield* Effect.promise(() => server.kill())
        yield* Effect.promise(() => server.start())
      }
      yield* up(world.ask)
      yield* world.load.next(10)
    }
    return { fullDisks: trials, serverEnds: ends }
  })

/** F23: the database takes no writes for a while. */
export const readOnly = ({ url: server }: PostgresServer): Faults<unknown> =>
  Effect.fnUntraced(function* (world, trials) {
    const set = (value: "on" | "off") =>
      onServer(
        server,
        `ALTER DATABASE ${nameOf(world)} SET default_transaction_read_only = ${value}`,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(world)}'`,
      )
    for (let trial = 0; trial < trials; trial++) {
      yield* set("on")
      yield* world.load.next(10)
      yield* set("off")
      yield* world.load.next(10)
    }
    return { readOnly: trials }
  })
