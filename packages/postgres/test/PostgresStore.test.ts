import * as Account from "@countersign/core/domain/money/Account"
import { MessageId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, inject } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PgliteClient from "../src/PgliteClient.ts"
import { database, node, storeLayer } from "./fixtures/databases.ts"
import { type Fault, faultProxy } from "./fixtures/faultProxy.ts"
import { onServer } from "./fixtures/onServer.ts"
import { hold } from "./fixtures/watchedPool.ts"
import { test } from "../../../test/support/testsOver.ts"

const price = Samples.newMessage().charge

const holdMessage = (store: Store["Service"], organization: OrganizationId, id: string) =>
  store.execute(hold(organization, id))

/** Two stores over one PGlite, each with its own batches. */
const twoOnPglite = Effect.flatMap(Layer.build(PgliteClient.layer()), (client) => {
  const store = Effect.map(
    Layer.build(Layer.provide(storeLayer(), Layer.succeedContext(client))),
    (context) => ({ store: Context.get(context, Store) }),
  )
  return Effect.all([store, store])
})

/** The ids of messages. */
const idsTo = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`)

const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

const storeAt = (stores: ReadonlyArray<Store["Service"]>, index: number) => {
  const store = stores[index % stores.length]
  if (store === undefined) throw new Error("There is no store")
  return store
}

const openAccount = Effect.fnUntraced(function* (
  store: Store["Service"],
  name: string,
  messages: number,
) {
  const organization = OrganizationId(name)
  yield* store.createOrganization(Samples.organization({ id: organization }))
  const amount = Money.fromUnits(price * messages)
  if (amount === 0) return organization
  yield* store.execute(Samples.topUp({ organization, amount }))
  return organization
})

/** What the database says of an account: its row, the fold of its entries, and its log. */
const audit = Effect.fnUntraced(function* (store: Store["Service"], organization: OrganizationId) {
  const account = yield* store.account(organization)
  const entries = yield* store.entries(organization, 0, 10_000)
  const log = yield* store.messages(organization, {
    from: undefined,
    to: undefined,
    skip: 0,
    limit: 10_000,
  })
  assert.isDefined(account)
  assert.deepStrictEqual(Account.fold(entries), { balance: account.balance, held: account.held })
  assert.deepStrictEqual(
    entries.map((entry) => entry.sequence),
    entries.map((_, index) => index + 1),
  )
  return { account, ids: (log?.messages ?? []).map((message) => message.id) }
})

describe("two nodes on one database", () => {
  test.live("charge one balance together exactly as often as it allows", function* () {
    const url = yield* database
    const { store: first } = yield* node(url)
    const { store: second } = yield* node(url)
    const organization = yield* openAccount(first, "hot", 50)
    const outcomes = yield* Effect.forEach(
      idsTo(200),
      (id, index) => holdMessage(index % 2 === 0 ? first : second, organization, id),
      { concurrency: "unbounded" },
    )
    const held = outcomes.filter(({ result }) => result._tag === "Held").length
    const { account, ids } = yield* audit(first, organization)
    assert.strictEqual(held, 50)
    assert.strictEqual(account.balance, 0)
    assert.strictEqual(new Set(ids).size, 50)
  })

  const pairs = [
    ["a server", Effect.flatMap(database, (url) => Effect.all([node(url), node(url)]))],
    ["PGlite", twoOnPglite],
  ] as const

  test.live.each(pairs)(
    "spend one budget of wrong codes together, exactly, on %s",
    function* ([, pair]) {
      const stores = (yield* pair).map(({ store }) => store)
      const organization = yield* openAccount(storeAt(stores, 0), "guessed", 2)
      const limits = { attempts: 200, checksPerOrganization: undefined }
      for (const index of [1, 2]) {
        yield* storeAt(stores, 0).execute(
          Samples.requestVerification({
            organization,
            requestId: Samples.requestId(index),
            draft: Samples.newMessage({ id: Samples.messageId(index) }),
            limits,
          }),
        )
      }
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => index),
        (index) =>
          storeAt(stores, index).execute(
            Samples.checkCode({
              organization,
              requestId: Samples.requestId(1 + (index % 3 === 0 ? 1 : 0)),
              candidates: [Samples.codeOf("wrong")],
              limits,
            }),
          ),
        { concurrency: "unbounded" },
      )
      const tags = Object.groupBy(outcomes, ({ result }) => result._tag)
      assert.strictEqual(tags.WrongCode?.length, 30)
      assert.strictEqual(tags.GuessesLimited?.length, 170)
    },
  )

  test.live("create one organization from two attempts", function* () {
    const url = yield* database
    const nodes = [yield* node(url), yield* node(url)]
    const created = yield* Effect.forEach(
      [...nodes, ...nodes],
      ({ store }) => store.createOrganization(Samples.organization()),
      { concurrency: "unbounded" },
    )
    assert.strictEqual(created.filter((won) => won).length, 1)
  })
})

describe("a commit whose answer was lost", () => {
  const faults: ReadonlyArray<Fault> = ["lose the answer", "lose the commit"]

  for (const fault of faults) {
    test.live(`is neither repeated nor lost when the network happens to ${fault}`, function* () {
      const proxy = yield* faultProxy(yield* database)
      const { store } = yield* node(proxy.url)
      const organization = yield* openAccount(store, "acme", 1_000)
      let commits = 0
      proxy.onCommit(() => {
        commits += 1
        return commits % 3 === 0 ? fault : "none"
      })
      const outcomes = yield* Effect.forEach(
        idsTo(60),
        (id) =>
          Effect.map(holdMessage(store, organization, id), ({ result }) => ({
            id,
            outcome: result,
          })),
        { concurrency: 4 },
      )
      proxy.onCommit(() => "none")
      assert.isAbove(proxy.counts[fault], 3)
      const { account, ids } = yield* audit(store, organization)
      assert.deepStrictEqual(
        ids.toSorted(),
        outcomes
          .filter(({ outcome }) => outcome._tag === "Held")
          .map(({ id }) => id)
          .toSorted(),
      )
      assert.strictEqual(ids.length, 60)
      assert.strictEqual(account.held, 60 * price)
      assert.strictEqual(account.balance, 940 * price)
    })
  }

  for (const fault of faults) {
    test.live(`posts a repeated payment once when the network happened to ${fault}`, function* () {
      const url = yield* database
      const proxy = yield* faultProxy(url)
      const { store } = yield* node(proxy.url)
      const { store: other } = yield* node(url)
      const organization = yield* openAccount(store, "acme", 0)
      const booking = { organization, amount: price, paymentId: "p1" }
      const book = (on: Store["Service"]) =>
        Effect.map(on.execute(Samples.topUp(booking)), ({ result }) =>
          result._tag === "Posted" ? result.isRepeat : result._tag,
        )
      // The network stays down while the store looks up the outcome.
      proxy.onCommit(() => {
        proxy.refuse(true)
        return fault
      })
      const unknown = yield* Effect.flip(book(store))
      assert.strictEqual(unknown.reason, "connection")
      proxy.onCommit(() => "none")
      proxy.refuse(false)
      const wasBooked = fault === "lose the answer"
      assert.deepStrictEqual([yield* book(store), yield* book(other)], [wasBooked, true])
      const { account } = yield* audit(store, organization)
      assert.strictEqual(account.balance, price)
    })
  }
})

describe("a queue that is full", () => {
  test.live("rejects at once and charges nothing", function* () {
    const { store } = yield* node(yield* database, { lanes: 1, maxWaiting: 5, maxBatch: 1 })
    const organization = yield* openAccount(store, "busy", 100)
    const exits = yield* Effect.forEach(
      idsTo(50),
      (id) => Effect.result(holdMessage(store, organization, id)),
      { concurrency: "unbounded" },
    )
    const refused = exits.filter((exit) => exit._tag === "Failure")
    const { account, ids } = yield* audit(store, organization)
    assert.isAbove(refused.length, 0)
    assert.isTrue(refused.every((exit) => exit.failure.reason === "overloaded"))
    assert.strictEqual(ids.length, 50 - refused.length)
    assert.strictEqual(account.held, ids.length * price)
  })
})

describe("a read-only server", () => {
  test.live(
    "gets 'connection', loses nothing, and is used again when it accepts writes",
    function* () {
      const url = yield* database
      const { store } = yield* node(url)
      const organization = yield* openAccount(store, "acme", 10)
      const admin = (yield* node(url)).pool
      const name = new URL(url).pathname.slice(1)
      const readOnly = (value: "on" | "off") =>
        admin.use((connection) =>
          Effect.forEach(
            [
              "SET default_transaction_read_only = off",
              `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`,
              endSessions,
            ],
            (sql) => connection.query(sql, [], false),
          ),
        )
      yield* holdMessage(store, organization, "before")
      yield* readOnly("on")
      const refused = yield* Effect.flip(holdMessage(store, organization, "during"))
      yield* readOnly("off")
      const { result } = yield* holdMessage(store, organization, "after")
      assert.strictEqual(refused.reason, "connection")
      assert.strictEqual(result._tag, "Held")
      const { account, ids } = yield* audit(store, organization)
      assert.deepStrictEqual(ids, [MessageId("after"), MessageId("before")])
      assert.strictEqual(account.held, 2 * price)
    },
  )
})

describe("a database that accepts no connections", () => {
  test.live(
    "gets 'connection', loses nothing, and is used again when it accepts them",
    function* () {
      const url = yield* database
      const { store } = yield* node(url)
      const organization = yield* openAccount(store, "acme", 10)
      const name = new URL(url).pathname.slice(1)
      const accept = (value: boolean) =>
        onServer(
          inject("postgresUrl"),
          `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${value}`,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
        )
      yield* accept(false)
      const refused = yield* Effect.flip(holdMessage(store, organization, "during"))
      yield* accept(true)
      const { result } = yield* holdMessage(store, organization, "after")
      assert.strictEqual(refused.reason, "connection")
      assert.strictEqual(result._tag, "Held")
      const { ids } = yield* audit(store, organization)
      assert.deepStrictEqual(ids, [MessageId("after")])
    },
  )
})
