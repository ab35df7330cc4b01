/** Faults of sessions and of the network between the nodes and their server. */
import { PgConnection } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { organizations } from "./Load.ts"
import { oneOf } from "./random.ts"
import type { Counts, World } from "./World.ts"

/** One part of a campaign: so many faults, with reproducible random numbers. */
export type Faults<E = never> = (
  world: World,
  trials: number,
  draw: () => number,
) => Effect.Effect<Counts, E, Scope.Scope>

const times = <E, R>(trials: number, fault: (trial: number) => Effect.Effect<unknown, E, R>) =>
  Effect.forEach(
    Array.from({ length: trials }, (_, trial) => trial),
    fault,
    { discard: true },
  )

/** F10, F11: one commit in three is lost, in turns with its effect and without. */
export const lostCommits: Faults = ({ proxy }, trials, draw) =>
  Effect.callback<Counts>((resume) => {
    const before = { ...proxy.counts }
    let left = trials
    proxy.onCommit(() => {
      if (left === 0) {
        proxy.onCommit(() => "none")
        resume(
          Effect.sync(() => ({
            committed: proxy.counts["lose the answer"] - before["lose the answer"],
            uncommitted: proxy.counts["lose the commit"] - before["lose the commit"],
          })),
        )
        return "none"
      }
      if (draw() > 1 / 3) return "none"
      left -= 1
      return left % 2 === 0 ? "lose the answer" : "lose the commit"
    })
  })

/** A session past the proxy, for as long as the scope is open. */
export const session = (url: string) =>
  Effect.map(
    PgConnection.make({ url: Redacted.make(url), applicationName: "campaign" }),
    ({ query }) =>
      (sql: string) =>
        Effect.map(query(sql, [], false), ({ rows }) => rows),
  )

const victims = (busy: boolean): string => `
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'countersign' ${busy ? "AND state <> 'idle'" : ""}
  ORDER BY random() LIMIT 1`

/** F12: the server ends a session of a node, one in two while it is at work. */
export const terminated: Faults<SqlError> = Effect.fnUntraced(function* (
  { load, url },
  trials,
  draw,
) {
  const query = yield* session(url())
  let ended = 0
  let busy = 0
  while (ended < trials) {
    const isBusy = draw() < 0.5
    const rows = yield* query(
      `SELECT pg_terminate_backend(pid) AS ended FROM (${victims(isBusy)}) AS v`,
    )
    if (rows[0]?.["ended"] === true) {
      ended += 1
      busy += isBusy ? 1 : 0
    }
    yield* load.next(2)
  }
  return { terminated: ended, terminatedAtWork: busy }
})

/** F13: SIGKILL of a session of a node. The server then ends all sessions, and recovers from its log. */
export const killedSessions: Faults<SqlError> = Effect.fnUntraced(function* (
  { ask, load },
  trials,
  draw,
) {
  yield* times(trials, () =>
    Effect.gen(function* () {
      const found = yield* Effect.repeat(ask(victims(draw() < 0.7)), {
        until: (rows) => rows.length > 0,
      })
      process.kill(Number(found[0]?.["pid"]), "SIGKILL")
      yield* up(ask)
      yield* load.next(6)
    }),
  )
  return { killedSessions: trials }
})

/** Waits until the server takes statements. */
export const up = (ask: World["ask"]) =>
  Effect.retry(ask("SELECT 1"), {
    while: () => true,
    times: 3_000,
    schedule: Schedule.spaced("10 millis"),
  })

/** F16, F17: the network stalls, cuts bytes into slices, or ends in the middle of an answer. */
export const badNetwork: Faults = Effect.fnUntraced(function* ({ load, proxy }, trials, draw) {
  const counts = { stalls: 0, slices: 0, cuts: 0 }
  yield* times(trials, () =>
    Effect.gen(function* () {
      const kind = oneOf(draw, ["stalls", "slices", "cuts"] as const)
      counts[kind] += 1
      if (kind === "stalls") {
        proxy.stall(true)
        yield* Effect.sleep(draw() * 400)
        proxy.stall(false)
      } else if (kind === "slices") {
        proxy.slice(1 + Math.floor(draw() * 40))
      } else {
        proxy.cutAfter(Math.floor(draw() * 20_000))
      }
      yield* load.next(5)
      proxy.slice(Infinity)
    }),
  )
  return counts
})

/** F16: the server does not answer for longer than the nodes wait. */
export const blackhole: Faults = Effect.fnUntraced(function* ({ load, proxy }, trials) {
  yield* times(trials, () =>
    Effect.gen(function* () {
      proxy.stall(true)
      yield* Effect.sleep("17 seconds")
      proxy.stall(false)
      yield* load.next(20)
    }),
  )
  return { blackholes: trials }
})

/** F18: locks that are held for longer than nodes wait, and locks in the opposite order, which end in a deadlock. */
export const locks: Faults<SqlError> = Effect.fnUntraced(function* (
  { ask, load, url },
  trials,
  draw,
) {
  const query = yield* session(url())
  yield* query("SET deadlock_timeout = '10s'")
  const deadlocks = Effect.map(
    ask("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"),
    (rows) => Number(rows[0]?.["deadlocks"]),
  )
  const before = yield* deadlocks
  const counts = { heldLocks: 0, oppositeLocks: 0 }
  const lock = (organization: string) =>
    query(`SELECT FROM countersign.accounts WHERE organization = '${organization}' FOR UPDATE`)
  const [first, second] = organizations
  const waits = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'countersign' AND wait_event_type = 'Lock'`
  yield* times(trials, () =>
    Effect.gen(function* () {
      yield* query("BEGIN")
      if (draw() < 0.5) {
        counts.heldLocks += 1
        yield* lock(oneOf(draw, organizations))
        yield* Effect.sleep(draw() * 1_500)
      } else {
        counts.oppositeLocks += 1
        yield* lock(second)
        yield* Effect.repeat(ask(waits), { until: (rows) => rows.length > 0, times: 200 })
        yield* Effect.ignore(lock(first))
      }
      yield* query("ROLLBACK")
      yield* load.next(5)
    }),
  )
  return { ...counts, deadlocks: (yield* deadlocks) - before }
})

/** F18: transactions at the level `serializable`, which the server refuses when two nodes meet. */
export const serializable: Faults<SqlError> = Effect.fnUntraced(function* (
  { ask, load, url },
  trials,
) {
  const name = new URL(url()).pathname.slice(1)
  yield* ask(
    `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'countersign'`,
  )
  yield* load.next(trials)
  return { serializable: trials }
})

/** F24: all sessions of the server are taken, those of the nodes as well. */
export const exhausted: Faults<SqlError> = Effect.fnUntraced(function* (
  { load, url },
  trials,
  draw,
) {
  const takeAll = Effect.ignore(Effect.forever(session(url())))
  yield* times(trials, () =>
    Effect.gen(function* () {
      const query = yield* session(url())
      yield* takeAll
      yield* query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'countersign'`)
      yield* takeAll
      yield* Effect.sleep(draw() * 1_000)
    }).pipe(Effect.scoped, Effect.andThen(load.next(5))),
  )
  return { exhausted: trials }
})

/** F24: the event loop of the nodes stands still. */
export const busyLoop: Faults = Effect.fnUntraced(function* ({ load }, trials, draw) {
  yield* times(trials, () => {
    const end = performance.now() + draw() * 300
    while (performance.now() < end);
    return load.next(5)
  })
  return { busyLoops: trials }
})
