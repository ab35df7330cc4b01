/**
 * The engine over two message centres of which the first goes away in the middle of everything. What was
 * sent is counted where it arrives: at the centres.
 */
import { assert, it } from "@effect/vitest"
import { Accounts } from "@countersign/core/services/Accounts"
import { Senders } from "@countersign/core/services/Senders"
import * as Engine from "@countersign/core/Engine"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import type { Message } from "@countersign/core/domain/messages/Message"
import { Messages } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as Router from "@countersign/core/routing/Router"
import { Gateway } from "@countersign/core/ports/Gateway"
import { Store } from "@countersign/core/ports/Store"
import * as Node from "@countersign/node/Node"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Invariants from "@countersign/testing/Invariants"
import { codeSecret } from "@countersign/testing/TestEngine"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { inject } from "vitest"
import { within } from "../../packages/testing/src/internal/within.ts"
import { eventually } from "../support/eventually.ts"
import { freePorts } from "../support/freePorts.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { type Smsc, startSmsc } from "@countersign/testing/Smsc"
import { gatewayOn } from "./smpp/support.ts"

/** Messages of the load, and how many of them the first centre gets before it goes. */
const load = 400
const plugAt = 100
/** How many of these it has in its hands when it goes: it knows them, and has not said so. */
const unanswered = 5

const organization = OrganizationId("acme")
const paidIn = Money.make("1000")
const price = Money.make("0.5")

const stores = {
  memory: Layer.fresh(MemoryStore.layer),
  postgres: PostgresStore.layer().pipe(
    Layer.provide(
      Layer.unwrap(
        Effect.map(freshDatabase(inject("postgresUrl")), (url) => PostgresClient.layer({ url })),
      ),
    ),
  ),
}

/** A centre that takes everything and reports it delivered, and a plug to pull. */
interface Centre {
  readonly smsc: Smsc
  /** Cuts all connections without a word, and closes the port. */
  readonly unplug: Effect.Effect<void>
}

const startCentre = Effect.fnUntraced(function* (
  port: number,
): Effect.fn.Return<Centre, never, Scope.Scope> {
  const scope = yield* Effect.flatMap(Effect.scope, Scope.fork)
  const smsc = yield* Scope.provide(startSmsc({ port }), scope)
  // Both count from 1, so their ids are the same ones: only the gateway's name tells them apart.
  smsc.onSubmit = (_, count) => ({
    id: String(count),
    receipts: [{ id: String(count), state: "DELIVRD" }],
  })
  return { smsc, unplug: Scope.close(scope, Exit.void) }
})

/** Goes away by itself in the midst of the load; gives what waits for that. */
const unplugUnderLoad = Effect.fnUntraced(function* ({ smsc, unplug }: Centre) {
  const pulled = yield* Deferred.make<void>()
  const take = smsc.onSubmit
  smsc.onSubmit = (submitted, count) => {
    if (count <= plugAt - unanswered) return take(submitted, count)
    if (count < plugAt) return "silence"
    Deferred.doneUnsafe(pulled, Effect.void)
    return "hang up"
  }
  return Effect.andThen(within("the plug", Deferred.await(pulled)), unplug)
})

/** The engine over gateways `one` and `two`, and what happened to their circuits. */
const startEngine = Effect.fnUntraced(function* (
  store: (typeof stores)[keyof typeof stores],
  ports: { readonly one: number; readonly two: number },
) {
  const quick = { retryDelay: "50 milliseconds", maxRetryDelay: "200 milliseconds" } as const
  const one = yield* gatewayOn(ports.one, { name: "one", ...quick })
  const two = yield* gatewayOn(ports.two, { name: "two", ...quick })
  const context = yield* Layer.build(
    Engine.layerRunning.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          store,
          CodeSecrets.layer(codeSecret),
          Router.layer({
            members: [{ gateway: one }, { gateway: two }],
            pause: "1 second",
            retryFor: "2 seconds",
          }),
        ),
      ),
      Layer.provide(Node.layerCrypto),
    ),
  )
  yield* Context.get(context, Organizations).create({ id: organization })
  yield* Context.get(context, Accounts).topUp({ organization, amount: paidIn })
  yield* Context.get(context, Senders).save({
    organization,
    id: "line",
    kind: "non-masking",
    sender: "8809612000101",
    status: "approved",
    isDefault: true,
  })
  const { health: changes = Stream.empty, states = Effect.succeed([]) } = Context.get(
    context,
    Gateway,
  )
  const opened = new Set<string>()
  yield* changes.pipe(
    Stream.runForEach(({ gateway, state }) =>
      Effect.sync(() => {
        if (state === "failing") opened.add(gateway)
      }),
    ),
    Effect.forkScoped({ startImmediately: true }),
  )
  const messages = Context.get(context, Messages)
  const texts: Array<string> = []
  return {
    /** The texts of all messages that were asked for. */
    texts,
    /** Sends as many at once, each with a text of its own, which it gives. */
    send: (count: number) => {
      const fresh = Array.from({ length: count }, (_, index) => `Text ${texts.length + index}`)
      texts.push(...fresh)
      return Effect.as(
        Effect.forEach(
          fresh,
          (text) =>
            Effect.result(messages.send({ organization, phoneNumber: "8801712345678", text })),
          { concurrency: "unbounded" },
        ),
        fresh,
      )
    },
    opened,
    health: Effect.map(states, (all) => all.map(({ gateway, state }) => ({ gateway, state }))),
    rows: Effect.flatMap(Invariants.read(Context.get(context, Store), organization), (rows) =>
      rows === undefined ? Effect.die("no organization") : Effect.succeed(rows),
    ),
  }
})

const textsAt = ({ smsc }: Centre): ReadonlyArray<string> => smsc.received.map(({ text }) => text)

/** How often each text has arrived, and where last. */
const arrivals = (centres: Readonly<Record<string, Centre>>) => {
  const seen = new Map<string, { readonly times: number; readonly at: string }>()
  for (const [at, centre] of Object.entries(centres)) {
    for (const text of textsAt(centre))
      seen.set(text, { at, times: (seen.get(text)?.times ?? 0) + 1 })
  }
  return seen
}

/** What a message's status promises of where it was seen. */
const isHonest = (
  { gateway, hold, status, text }: Message,
  seen: ReturnType<typeof arrivals>,
): boolean => {
  const { at, times } = seen.get(text) ?? { at: undefined, times: 0 }
  switch (status) {
    case "accepted":
    case "delivered":
      return times === 1 && at?.startsWith(gateway) === true
    case "unknown":
      return times <= 1 && hold === "open"
    case "failed":
    case "rejected":
      return times === 0 && hold === "released"
    default:
      return false
  }
}

it.live.each(["memory", "postgres"] as const)(
  "cutting off the first of two gateways under load loses nothing and sends nothing twice (counted at the SMSC), on the store %s",
  (store) =>
    Effect.gen(function* () {
      const [portOne = 0, portTwo = 0] = yield* Effect.promise(() => freePorts(2))
      const one = yield* startCentre(portOne)
      const two = yield* startCentre(portTwo)
      const engine = yield* startEngine(stores[store], { one: portOne, two: portTwo })
      const withStatus = (...statuses: ReadonlyArray<Message["status"]>) =>
        Effect.map(engine.rows, ({ messages }) =>
          messages.filter(({ status }) => statuses.includes(status)),
        )

      // The load, and the plug in the midst of it.
      const unplugged = yield* unplugUnderLoad(one)
      yield* Effect.all([engine.send(load), unplugged], { concurrency: "unbounded" })
      assert.strictEqual(one.smsc.received.length, plugAt)
      assert.deepStrictEqual([...engine.opened], ["one"])
      const unknown = yield* withStatus("unknown")
      assert.isAtLeast(unknown.length, unanswered)
      assert.deepStrictEqual(yield* withStatus("failed", "rejected", "pending"), [])
      for (const text of textsAt(one).slice(-unanswered)) {
        assert.include(
          unknown.map((message) => message.text),
          text,
        )
      }

      // What comes while it is away goes to the second.
      const later = yield* engine.send(20)
      assert.includeMembers([...textsAt(two)], later)

      // With both away, nothing goes anywhere, once the second is known to be.
      yield* two.unplug
      yield* Effect.promise(() =>
        eventually(async () => {
          await Effect.runPromise(engine.send(1))
          assert.isNotEmpty(await Effect.runPromise(withStatus("failed")))
        }),
      )
      const nowhere = yield* engine.send(10)
      const failed = yield* withStatus("failed")
      assert.includeMembers(
        failed.map(({ text }) => text),
        [...nowhere],
      )

      // The first comes back, and has messages again once its circuit lets them through.
      const back = yield* startCentre(portOne)
      yield* Effect.promise(() =>
        eventually(async () => {
          await Effect.runPromise(engine.send(1))
          assert.isNotEmpty(textsAt(back))
        }),
      )
      const again = yield* engine.send(20)
      assert.includeMembers([...textsAt(back)], again)
      assert.deepInclude(yield* engine.health, { gateway: "one", state: "available" })

      // The reports on what was taken with a word have come in.
      const answered = [...textsAt(two), ...textsAt(back)]
      yield* Effect.promise(() =>
        eventually(async () => {
          const delivered = await Effect.runPromise(withStatus("delivered"))
          assert.includeMembers(
            delivered.map(({ text }) => text),
            answered,
          )
        }),
      )

      const rows = yield* engine.rows
      const { account, messages } = rows
      // One entry of the log for each message, and each at most once on the air.
      assert.sameMembers(
        messages.map(({ text }) => text),
        engine.texts,
      )
      const seen = arrivals({ one, two, "one again": back })
      assert.deepStrictEqual(
        [...seen].filter(([_, { times }]) => times > 1),
        [],
      )
      assert.deepStrictEqual(
        messages.filter((message) => !isHonest(message, seen)),
        [],
      )
      // The account is what its entries add up to, and no hold has ended twice.
      assert.deepStrictEqual(Invariants.problems(rows), [])
      const paid = messages.filter(({ hold }) => hold !== "released").length
      assert.strictEqual(account.balance, paidIn - paid * price)
      // What goes wrong here is meant to.
    }).pipe(Effect.provide(Logger.layer([]))),
)
