/** A node that runs on while its database loses commits, and another node makes as many in their place. */
import type { Store } from "@countersign/core/ports/Store"
import * as Account from "@countersign/core/domain/money/Account"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, inject } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { startPostgres } from "../../../../../test/support/PostgresServer.ts"
import { database, node } from "../../fixtures/databases.ts"
import { onServer } from "../../fixtures/onServer.ts"
import { test } from "../../../../../test/support/testsOver.ts"

const organization = Samples.organizationId

const payment = (paymentId: string, amount: string) =>
  Samples.topUp({ paymentId, amount: Samples.money(amount) })

/** Books payments under the numbers of their entries. */
const pay = (store: Store["Service"], entries: ReadonlyArray<number>, amount: string) =>
  Effect.forEach(entries, (entry) => store.execute(payment(`${amount} ${entry}`, amount)), {
    discard: true,
  })

/** The balance of the account, and that of its entries. */
const balances = Effect.fnUntraced(function* (store: Store["Service"]) {
  const account = yield* store.account(organization)
  return [account?.balance, Account.fold(yield* store.entries(organization, 0, 100)).balance]
})

const lost = [2, 3, 4, 5, 6]

/**
 * The first node opens an account, and books what `lose` takes back. The second node books as much, and then the first
 * node books once more, over connections that are new, on rows that may still be in its memory.
 */
const playing = Effect.fnUntraced(function* <E>(
  url: string,
  keep: Effect.Effect<unknown, E>,
  lose: Effect.Effect<unknown, E>,
) {
  const { store: first } = yield* node(url)
  yield* first.createOrganization(Samples.organization())
  yield* first.execute(payment("start", "100"))
  yield* keep
  yield* pay(first, lost, "1")
  yield* lose
  const { store: second } = yield* node(url)
  const left = (yield* second.entries(organization, 0, 100)).length
  assert.isBelow(left, 6, "nothing was lost")
  yield* pay(
    second,
    lost.filter((entry) => entry > left),
    "50",
  )
  yield* first.execute(payment("after", "1"))
  const kept = left - 1
  const found = yield* balances(second)
  const expected = Samples.money(String(100 + kept + 50 * (lost.length - kept) + 1))
  assert.deepStrictEqual(found, [expected, expected])
})

describe("rows in memory", () => {
  test.live("are dropped if the database was restored into the same server", function* () {
    const server = inject("postgresUrl")
    const url = yield* database
    const backup = new URL(yield* database).pathname.slice(1)
    const name = new URL(url).pathname.slice(1)
    const replace = (copy: string, original: string) =>
      onServer(
        server,
        `ALTER DATABASE ${original} ALLOW_CONNECTIONS false`,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${original}'`,
        `DROP DATABASE ${copy} WITH (FORCE)`,
        `CREATE DATABASE ${copy} TEMPLATE ${original} STRATEGY file_copy`,
        `ALTER DATABASE ${original} ALLOW_CONNECTIONS true`,
      )
    yield* playing(url, replace(backup, name), replace(name, backup))
  })

  test.live("are dropped if the server has crashed before it wrote them", function* () {
    // The server writes its log at a checkpoint, and otherwise every ten seconds.
    const settings = { synchronous_commit: "off", wal_writer_delay: "10000ms" }
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startPostgres({ fsync: false, settings })),
      ({ stop }) => Effect.promise(stop),
    )
    const crash = Effect.gen(function* () {
      const checkpointer = Effect.map(
        onServer(
          server.url,
          "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
        ),
        ([row]) => row?.["pid"],
      )
      const before = yield* checkpointer
      const [row] = yield* onServer(
        server.url,
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'countersign' LIMIT 1",
      )
      yield* Effect.sync(() => process.kill(Number(row?.["pid"]), "SIGKILL"))
      // The server takes connections until it notices the death. Then it starts its own processes again.
      const restarted = Effect.filterOrFail(checkpointer, (pid) => pid !== before)
      yield* Effect.retry(
        restarted,
        Schedule.max([Schedule.spaced("100 millis"), Schedule.recurs(200)]),
      )
    })
    yield* playing(server.url, onServer(server.url, "CHECKPOINT"), crash)
  })
})
