/**
 * Two nodes in this process over one store in memory, behind the handlers of the HTTP interface. Each port lets other
 * work run before and after its effect, for as long as the seed says. A killed node has dead ports, so
 * none of its work goes on.
 */
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import { DispatchPolicy } from "@countersign/core/delivery/Dispatcher"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as Engine from "@countersign/core/Engine"
import { Gateway } from "@countersign/core/ports/Gateway"
import { Store } from "@countersign/core/ports/Store"
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Organizations } from "@countersign/core/services/Organizations"
import { Senders } from "@countersign/core/services/Senders"
import * as Http from "@countersign/http/tenant/TenantHttp"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { type Answer, refusedNumber } from "./calls.ts"
import { answerOf, type Draw, expirySeconds, type Place, type Sending } from "./play.ts"

/** A store, and nodes on it. */
export interface Service {
  readonly open: (draw: Draw) => Promise<Place>
}

/** No lease and no deadline ends while the clock moves to an expiry. */
const policy = { leaseMarginMillis: 30 * 86_400_000, settleMillis: 60 * 86_400_000 }

const layerBase = Layer.mergeAll(
  MemoryStore.layer,
  SimulatedGateway.layer({
    journalSize: 100_000,
    behave: ({ phoneNumber }) =>
      phoneNumber === refusedNumber
        ? { _tag: "Reject", message: "The carrier refused the message" }
        : { _tag: "Deliver" },
  }),
  CodeSecrets.layer(TestEngine.codeSecret),
  Layer.succeed(DispatchPolicy, policy),
).pipe(Layer.provideMerge(TestCrypto.layer(1)), Layer.provideMerge(TestClock.layer()))

type Base = Layer.Success<typeof layerBase>

/** Lets all other work run, a number of times. */
const pauses = (count: number): Effect.Effect<void> =>
  count === 0 ? Effect.void : Effect.andThen(Effect.yieldNow, pauses(count - 1))

const maxPauses = 3

const makeNode = Effect.fnUntraced(function* (base: Context.Context<Base>, draw: () => Draw) {
  let isDead = false
  const killed = Promise.withResolvers<undefined>()
  const whileAlive = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.andThen(
      pauses(draw()(maxPauses)),
      Effect.suspend(() => (isDead ? Effect.never : effect)),
    )
  const port = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(whileAlive(effect), (value) => whileAlive(Effect.succeed(value)))
  const store = Context.get(base, Store)
  const gateway = Context.get(base, Gateway)
  const ports = Context.make(
    Store,
    Store.of({
      ...store,
      execute: (command, options) => port(store.execute(command, options)),
      account: (id) => port(store.account(id)),
      apiKey: (id) => port(store.apiKey(id)),
      message: (ref) => port(store.message(ref)),
      messages: (organization, query) => port(store.messages(organization, query)),
      organization: (id) => port(store.organization(id)),
      verification: (organization, id) => port(store.verification(organization, id)),
    }),
  ).pipe(
    Context.add(
      Gateway,
      Gateway.of({ ...gateway, send: (message) => port(gateway.send(message)) }),
    ),
  )
  const context = Context.merge(base, ports)
  const engine = yield* Layer.build(
    Layer.fresh(Engine.layer).pipe(Layer.provide(Layer.succeedContext(context))),
  )
  const handler = yield* Effect.provide(Http.make(), engine)
  const fetch = HttpEffect.toWebHandlerWith<Base, HttpServerRequest | Scope.Scope>(base)(handler)
  return {
    engine,
    fetch: (request: Request) => fetch(request, Context.empty()),
    killed: killed.promise,
    isDead: () => isDead,
    kill: () => {
      isDead = true
      killed.resolve(undefined)
    },
  }
})

type Node = Effect.Success<ReturnType<typeof makeNode>>

const requestOf = ({ body, idempotencyKey, method, path }: Sending, key: string) => ({
  url: `http://countersign.test/api/v2${path}`,
  init: {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  },
})

/** Without windows, because the models have none. */
const limits = {
  sendsPerNumber: null,
  checksPerOrganization: null,
  guessesPerNumber: null,
  guessesSinceSuccess: null,
  resends: 1,
  resendCooldownMillis: 0,
} as const

const openOrganization = Effect.fnUntraced(function* (id: string) {
  const organization = OrganizationId(id)
  yield* (yield* Organizations).create({ id: organization, limits })
  const sender = { id: "line", kind: "non-masking", sender: "8809600000000" } as const
  yield* (yield* Senders).save({ organization, ...sender, status: "approved", isDefault: true })
  const { key } = yield* (yield* ApiKeys).create({ organization, name: "key" })
  return { organization, key: Redacted.value(key) }
}, Effect.orDie)

/** Turns of the event loop until a client hangs up. */
const maxTurns = 12

const turns = async (count: number): Promise<undefined> => {
  for (let turn = 0; turn < count; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return undefined
}

/** Starts the service. It holds nothing but memory, so it needs no end. */
export const startMemory = async (): Promise<Service> => {
  const built = await Effect.runPromise(Layer.buildWithScope(layerBase, Scope.makeUnsafe()))
  const base = Context.add(built, References.MinimumLogLevel, "None")
  const run = Effect.runPromiseWith(base)
  let current: Draw = () => 0
  const newNode = () =>
    run(
      Scope.provide(
        makeNode(base, () => current),
        Scope.makeUnsafe(),
      ),
    )
  const nodes: Array<Node> = [await newNode(), await newNode()]
  const gateway = Context.get(base, SimulatedGateway.SimulatedGateway)
  let organizations = 0
  let numbers = 0

  const aliveNode = async (index: number): Promise<Node> => {
    const node = nodes[index]
    if (node !== undefined && !node.isDead()) return node
    const next = await newNode()
    nodes[index] = next
    return next
  }

  const open: Service["open"] = async (draw) => {
    organizations += 1
    current = () => 0
    const first = await aliveNode(0)
    const { key, organization } = await run(
      Effect.provide(openOrganization(`org_${organizations}`), first.engine),
    )
    current = draw
    // In one of four histories, a node is killed after some answers.
    let untilKill = draw(4) === 0 ? 10 + draw(60) : Number.POSITIVE_INFINITY
    return {
      request: async (index, sending, hangsUp) => {
        const node = await aliveNode(index)
        const { init, url } = requestOf(sending, key)
        const controller = new AbortController()
        const answer = node
          .fetch(new Request(url, { ...init, signal: controller.signal }))
          .then(answerOf)
        if (!hangsUp) return Promise.race([answer, node.killed])
        // The answer of a client that has hung up is not an answer.
        answer.catch(() => undefined)
        await turns(draw(maxTurns))
        controller.abort()
        return undefined
      },
      topUp: async (index, units, paymentId) => {
        const node = await aliveNode(index)
        const booked = run(
          Effect.provide(
            Effect.flatMap(Accounts, ({ topUp }) =>
              topUp({ organization, amount: Money.fromUnits(units), paymentId }),
            ),
            node.engine,
          ),
        ).then(({ balance }): Answer => ({
          status: 200,
          code: "ok",
          isFirst: false,
          body: { balance: Money.format(balance) },
        }))
        return Promise.race([booked, node.killed])
      },
      codeOf: async (phoneNumber) => {
        const [newest] = await run(gateway.journal(phoneNumber))
        return newest?.code
      },
      newNumber: () => {
        numbers += 1
        return `+88017${10_000_000 + numbers}`
      },
      expire: () => run(TestClock.adjust(`${expirySeconds} seconds`)),
      answered: () => {
        untilKill -= 1
        if (untilKill === 0) nodes[draw(2)]?.kill()
      },
    }
  }
  return { open }
}
