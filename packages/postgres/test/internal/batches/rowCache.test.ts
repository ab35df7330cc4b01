/** What a node keeps of an organization between two commits, and when it must read again. */
import { host } from "@countersign/core/domain/values/Actor"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { counted } from "../../fixtures/countedNode.ts"
import { rowsOf, until } from "../../fixtures/databases.ts"
import * as ExpiredRows from "../../../src/internal/maintenance/expiredRows.ts"
import * as BatchReads from "../../../src/internal/statements/batchReads.ts"
import {
  hold,
  holding,
  lockOf,
  open,
  pool,
  storeOver,
  watched,
} from "../../fixtures/watchedPool.ts"
import { test } from "../../../../../test/support/testsOver.ts"

const acme = OrganizationId("acme")

const wrong = (organization: OrganizationId) =>
  Samples.checkCode({
    organization,
    candidates: [Samples.codeOf("wrong")],
    limits: { checksPerOrganization: undefined },
  })

/** A request to a number that only requests with the same `to` have. One code for each number. */
const request = (organization: OrganizationId, index: number, to = index) =>
  Samples.requestVerification({
    organization,
    requestId: Samples.requestId(index),
    phoneNumber: Samples.phoneNumber(to),
    limits: { sendsPerNumber: { max: 1, windowMillis: 60_000 } },
    draft: Samples.newMessage({ id: Samples.messageId(index), charge: Samples.money("0") }),
  })

/** Rows that have expired, and a command that reads the row and writes it. */
const scanned = [
  {
    table: "clients",
    expired: "(organization, client, sends, checks) VALUES ('acme', 'visitor', '{1}', '{1}')",
    command: Samples.requestVerification({
      organization: acme,
      client: ["visitor"],
      limits: { sendsPerClient: { max: 9, windowMillis: 60_000 } },
    }),
  },
  {
    table: "idempotency_keys",
    expired: "(organization, id, fingerprint, expires_at) VALUES ('acme', 'key', '', 1)",
    command: { ...hold(acme, "one"), idempotency: Samples.idempotentCall() },
  },
  {
    table: "erased_recipients",
    expired: "(organization, digest, sends, expires_at) VALUES ('acme', 'digest', '{1}', 1)",
    command: { ...request(acme, 1), erased: ["digest"] as const },
  },
]

/** Statements that make the database note each row that is written to a table. */
const noting = (table: string): ReadonlyArray<string> => [
  "CREATE TABLE written (at timestamptz)",
  `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN INSERT INTO written VALUES (now()); RETURN NULL; END $$`,
  `CREATE TRIGGER note AFTER INSERT OR UPDATE ON countersign.${table}
   FOR EACH ROW EXECUTE FUNCTION note()`,
]

describe("an organization in memory", () => {
  test.live("needs no read for a new number, its code and its message", function* () {
    const real = yield* pool()
    const { node, run } = counted(real)
    const store = yield* storeOver(node)
    const organization = yield* open(store, "acme")
    for (const index of [1, 2]) {
      const requested = yield* run(store.execute(request(organization, index)))
      assert.strictEqual(requested.value.result._tag, "Requested")
      assert.deepStrictEqual(requested.sent, ["write"])
    }
    const checked = yield* run(store.execute(wrong(organization)))
    assert.strictEqual(checked.value.result._tag, "WrongCode")
    assert.deepStrictEqual(checked.sent, ["write"])
  })

  test.live("is read again after another node has changed it, and from then on", function* () {
    const real = yield* pool()
    const { node, run } = counted(real)
    const store = yield* storeOver(node)
    const other = yield* storeOver(real)
    const organization = yield* open(store, "acme")
    yield* store.execute(request(organization, 1))
    const first = yield* other.execute(wrong(organization))
    assert.deepInclude(first.result, { _tag: "WrongCode", attemptsRemaining: 2 })
    const second = yield* run(store.execute(wrong(organization)))
    assert.deepInclude(second.value.result, { _tag: "WrongCode", attemptsRemaining: 1 })
    assert.deepStrictEqual(second.sent, ["write", "accounts", "read", "write"])
    for (const later of ["one", "two", "three"]) {
      const { sent } = yield* run(store.execute(hold(organization, later)))
      assert.deepStrictEqual(sent, ["accounts", "write"])
    }
  })

  test.live("sends nothing promotional after another node has added an opt-out", function* () {
    const real = yield* pool()
    const { node, run } = counted(real)
    const store = yield* storeOver(node)
    const other = yield* storeOver(real)
    const organization = yield* open(store, "acme")
    const optOut = ["digest", "digest before"] as const
    const promote = (index: string) => run(store.execute({ ...hold(organization, index), optOut }))
    assert.strictEqual((yield* promote("one")).value.result._tag, "Held")
    // The node knows that the rows do not exist.
    const known = yield* promote("two")
    assert.deepStrictEqual([known.value.result._tag, known.sent], ["Held", ["write"]])
    const numbers = [optOut]
    const change = { _tag: "ChangeOptOuts", organization, actor: host, numbers } as const
    yield* other.execute({ ...change, change: "add" })
    assert.strictEqual((yield* promote("three")).value.result._tag, "OptedOut")
    yield* other.execute({ ...change, change: "remove" })
    assert.strictEqual((yield* promote("four")).value.result._tag, "Held")
  })

  test.live("needs no read beside others in one batch, in any order", function* () {
    const real = yield* pool()
    const { node, run } = counted(real)
    const store = yield* storeOver(node)
    const names = ["zeta", "acme"]
    const all = yield* Effect.forEach(names, (name) => open(store, name))
    // The stamps differ.
    yield* Effect.forEach(all.slice(1), (one) => store.execute(hold(one, "one")))
    const { sent } = yield* run(
      Effect.forEach(all, (one) => store.execute(hold(one, "both")), {
        concurrency: "unbounded",
      }),
    )
    assert.deepStrictEqual(sent, ["write"])
  })

  test.live("does not refuse by an account that has changed since", function* () {
    const real = yield* pool()
    const store = yield* storeOver(real)
    const other = yield* storeOver(real)
    const organization = yield* open(store, "acme")
    const charge = Samples.money("1500")
    const dear = Samples.holdMessage({ organization, draft: Samples.newMessage({ charge }) })
    assert.strictEqual((yield* store.execute(dear)).result._tag, "Insufficient")
    yield* other.execute(
      Samples.topUp({ organization, amount: Samples.money("1000"), paymentId: "second" }),
    )
    assert.strictEqual((yield* store.execute(dear)).result._tag, "Held")
  })

  for (const { command, expired, table } of scanned) {
    test.live(
      `writes a row of ${table} again that the scan for expired rows has deleted`,
      function* () {
        const real = yield* pool()
        const { node, run } = counted(real)
        const store = yield* storeOver(node)
        yield* open(store, "acme")
        yield* rowsOf(real, `INSERT INTO countersign.${table} ${expired}`)
        const refused = yield* store.execute({ ...command, version: 9 })
        assert.strictEqual(refused.result._tag, "Stale")
        yield* rowsOf(real, `DELETE FROM countersign.${table}`)
        // The scan may delete the row at once, because a command can write it as expired.
        for (const statement of noting(table)) yield* rowsOf(real, statement)
        const { sent } = yield* run(store.execute(command))
        assert.deepStrictEqual(sent, ["write"])
        assert.lengthOf(yield* rowsOf(real, "SELECT FROM written"), 1)
      },
    )
  }

  test.live("does not restore a recipient that retention has dropped", function* () {
    const real = yield* pool()
    const store = yield* storeOver(real)
    const other = yield* storeOver(real)
    const organization = yield* open(store, "acme")
    yield* store.execute(request(organization, 1))
    yield* rowsOf(real, "UPDATE countersign.recipients SET sends = ARRAY[1::int8], pending = '[]'")
    const step = { organization, kind: "recipients", keepMillis: 0, after: undefined } as const
    assert.strictEqual((yield* other.prune({ ...step, limit: 9 })).dropped, 1)
    yield* store.execute(request(organization, 2, 1))
    const left = yield* rowsOf(
      real,
      "SELECT cardinality(sends) AS sends FROM countersign.recipients",
    )
    assert.deepStrictEqual(left, [{ sends: 1 }])
  })
})

describe("a number that is not in memory", () => {
  /** A node that knows the organization and none of its numbers, of which one exists. */
  const knowing = Effect.gen(function* () {
    const real = yield* pool()
    const first = yield* storeOver(real)
    const organization = yield* open(first, "acme")
    yield* first.execute(request(organization, 1))
    const { node, run } = counted(real)
    const store = yield* storeOver(node)
    yield* store.execute(hold(organization, "known"))
    return { organization, run, store }
  })

  test.live("is read if it exists, and further numbers for 32 batches", function* () {
    const { organization, run, store } = yield* knowing
    const { sent, value } = yield* run(store.execute(request(organization, 2, 1)))
    assert.strictEqual(value.result._tag, "Limited")
    assert.deepStrictEqual(sent, ["write", "accounts", "recipients", "confirmation"])
    for (let index = 3; index < 35; index++) {
      const read = yield* run(store.execute(request(organization, index)))
      assert.deepStrictEqual(read.sent, ["recipients", "write"])
    }
    const guessed = yield* run(store.execute(request(organization, 35)))
    assert.deepStrictEqual(guessed.sent, ["write"])
  })
})

describe("a rejection of a number that is not in memory", () => {
  test.live("is confirmed by one look at the number and the account", function* () {
    const real = yield* pool()
    const { node, run } = counted(real)
    const store = yield* storeOver(node)
    const organization = yield* open(store, "acme")
    const stale = { ...request(organization, 1), version: 9 }
    const { sent, value } = yield* run(store.execute(stale))
    assert.strictEqual(value.result._tag, "Stale")
    assert.deepStrictEqual(sent, ["confirmation"])
  })
})

describe("the time of a decision on rows in memory", () => {
  const { sql: readClock } = BatchReads.make("test").readClock
  /** A node whose monotonic clock a test can set ahead. */
  const node = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    let aheadNanos = 0n
    let readings = 0
    const real = yield* pool()
    const { node, run } = counted(
      watched(real, (query, sql) =>
        sql === readClock
          ? Effect.tap(query, () => Effect.sync(() => void (readings += 1)))
          : query,
      ),
    )
    const shifted = new Proxy(clock, {
      get: (target, key) =>
        key === "monotonicTimeNanosUnsafe"
          ? () => target.monotonicTimeNanosUnsafe() + aheadNanos
          : Reflect.get(target, key),
    })
    const store = yield* Effect.provideService(storeOver(node), Clock.Clock, shifted)
    const setAhead = (millis: number) => {
      aheadNanos = BigInt(millis) * 1_000_000n
    }
    // The scans for expired rows read the clock once at the start. Later, they would set the node right.
    yield* until(
      Effect.sync(() => readings),
      (count) => assert.strictEqual(count, ExpiredRows.all.length),
    )
    return { organization: yield* open(store, "acme"), real, run, setAhead, store }
  })

  for (const millis of [-5_000, 5_000]) {
    test.live(`is read again if the node's clock is ${millis} ms ahead`, function* () {
      const { organization, run, setAhead, store } = yield* node
      setAhead(millis)
      const { sent } = yield* run(store.execute(hold(organization, "one")))
      assert.deepStrictEqual(sent, ["write", "accounts", "write"])
      const page = yield* store.message({ organization, sequence: 1 })
      const account = yield* store.account(organization)
      assert.isBelow(Math.abs((page?.message?.createdAt ?? 0) - Date.now()), 2_500)
      assert.isBelow(Math.abs((account?.lastAt ?? 0) - Date.now()), 2_500)
    })
  }

  test.live("is read again for a rejection, too", function* () {
    const { organization, run, setAhead, store } = yield* node
    setAhead(5_000)
    const stale = { ...hold(organization, "one"), version: 9 }
    const { sent } = yield* run(store.execute(stale))
    assert.deepStrictEqual(sent, ["confirmation", "accounts"])
  })

  test.live("is compared with the database's after the locks", function* () {
    const { organization, real, run, store } = yield* node
    const waits = rowsOf(
      real,
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
          AND datname = current_database() AND clock_timestamp() > query_start + interval '600 ms'`,
    )
    const fiber = yield* holding(
      real,
      lockOf(organization),
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(run(store.execute(hold(organization, "one"))))
        yield* until(waits, (sessions) => assert.lengthOf(sessions, 1))
        return fiber
      }),
    )
    const { sent, value } = yield* Fiber.join(fiber)
    assert.strictEqual(value.result._tag, "Held")
    assert.deepStrictEqual(sent, ["write", "accounts", "write"])
  })
})

describe("a commit that fails", () => {
  test.live("leaves nothing of it in memory", function* () {
    const real = yield* pool({ lockTimeout: "300 milliseconds" })
    const store = yield* storeOver(real)
    const organization = yield* open(store, "acme")
    const failed = yield* holding(
      real,
      lockOf(organization),
      Effect.flip(store.execute(hold(organization, "one"))),
    )
    assert.strictEqual(failed.reason, "timeout")
    yield* store.execute(hold(organization, "two"))
    const { lastMessage } = (yield* store.account(organization)) ?? {}
    assert.strictEqual(lastMessage, 1)
  })
})
