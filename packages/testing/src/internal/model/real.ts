/**
 * The real engine of a history: two nodes over the store under test, and one simulated gateway.
 */
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Senders } from "@countersign/core/services/Senders"
import { Codes, layer as codesLayer } from "@countersign/core/engine/Codes"
import * as Engine from "@countersign/core/Engine"
import * as Fallback from "@countersign/core/engine/SmsFallback"
import { FraudRules } from "@countersign/core/engine/FraudRules"
import { type ApiKeyId, OrganizationId, type RequestId } from "@countersign/core/domain/values/Ids"
import { Gateway } from "@countersign/core/ports/Gateway"
import * as Limits from "@countersign/core/domain/limits/Limits"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import { Store } from "@countersign/core/ports/Store"
import type { Rules } from "@countersign/core/domain/fraud/PrefixStats"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as TestCrypto from "../../TestCrypto.ts"
import * as TestEngine from "../../TestEngine.ts"
import type { KeyedCall } from "./keyedCalls.ts"
import {
  behaviourOf,
  type Config,
  gatewayTimeoutMillis,
  unknownPhone,
  openingBalances,
  organizationNames,
  people,
  type Person,
  senders,
} from "./scenario.ts"

/** The engine's id of a request, and the code that was sent. */
export interface RealRequest {
  readonly id: RequestId
  readonly code: string | undefined
}

export interface Real {
  readonly config: Config
  readonly store: Store["Service"]
  readonly gateway: SimulatedGateway.SimulatedGateway["Service"]
  readonly send: Gateway["Service"]["send"]
  readonly organizations: ReadonlyArray<OrganizationId>
  /** By organization, in order of creation. */
  readonly keys: ReadonlyArray<Array<ApiKeyId>>
  /** In the order of the reference's requests. */
  readonly requests: Array<RealRequest>
  /** The ids of the reference's queued sends, in its order. */
  readonly queued: Array<string>
  /** The calls that may be retried. */
  readonly calls: Array<KeyedCall>
  /** Runs an effect on one of the nodes. */
  readonly on: <A, E>(
    node: number,
    effect: Effect.Effect<A, E, Engine.Engine>,
  ) => Effect.Effect<A, E>
  /** Waits for an answer, including the timeout of a silent gateway. */
  readonly untilDone: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Returns an idempotency key that no call has used. */
  readonly newKey: () => string
  /** Waits until a condition holds, without moving the clock. */
  readonly untilTrue: <E>(condition: Effect.Effect<boolean, E>) => Effect.Effect<void, E>
  readonly codes: Codes["Service"]
}

/** Returns the item at `index`, cyclically. */
export const cycled = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list[index % list.length]
  if (found === undefined) throw new Error("The list is empty")
  return found
}

/** The daily limit that commands carry in addition to the documented limits. */
const spendPerDayOf = ({ spendPerDay }: Config): Money.Money | undefined =>
  spendPerDay === null ? undefined : Money.fromUnits(spendPerDay)

/** The limits that differ from the documented ones. */
export const limitsOf = (config: Config): Partial<Limits.Limits> => {
  const { cooldownMillis, guesses, limitsClients, messagesPerMinute, resends } = config
  return {
    resends,
    resendCooldownMillis: cooldownMillis,
    ...(limitsClients && {
      sendsPerClient: { max: 3, windowMillis: 60_000 },
      checksPerClient: { max: 4, windowMillis: 60_000 },
    }),
    messagesPerOrganization:
      messagesPerMinute === null ? undefined : { max: messagesPerMinute, windowMillis: 60_000 },
    spendPerDay: spendPerDayOf(config),
    ...(guesses === "windows" && {
      guessesPerNumber: [
        { max: 1, windowMillis: 1_000 },
        { max: 2, windowMillis: 600_000 },
      ],
      guessesSinceSuccess: undefined,
    }),
    ...(guesses === "series" && { guessesPerNumber: undefined, guessesSinceSuccess: 4 }),
  }
}

export const rulesOf = ({ watch }: Config): Rules | undefined =>
  watch === null ? undefined : { ...watch, prefixDigits: 5 }

const unknownPerson: Person = {
  phone: unknownPhone,
  behaviour: { _tag: "NotSend", message: "unknown" },
  isOnWhatsApp: false,
}

const personAt = (phone: string) => people.find((person) => person.phone === phone)

/** Lets all work run that does not need the clock, including real input and output. */
const turn = (turns: number): Effect.Effect<void> =>
  turns < 20 ? Effect.yieldNow : TestClock.withLive(Effect.sleep(1))

/** Turns after which an expected change is missing; most of them take a millisecond. */
const maxTurns = 10_000

const openOrganization = Effect.fnUntraced(function* (
  name: string,
  index: number,
  { balanceLowAt }: Config,
) {
  const organization = OrganizationId(name)
  const threshold = balanceLowAt === null ? null : Money.fromUnits(balanceLowAt)
  yield* (yield* Organizations).create({
    id: organization,
    balanceLowAt: threshold,
  })
  const service = yield* Senders
  const approved = { organization, status: "approved" } as const
  yield* service.save({
    ...approved,
    id: "line",
    kind: "non-masking",
    sender: senders.line,
    isDefault: true,
  })
  yield* service.save({ ...approved, id: "mask", kind: "masking", sender: senders.mask })
  if (index === 0) {
    yield* service.save({
      ...approved,
      id: "profile",
      kind: "whatsapp",
      sender: senders.profile,
      isDefault: true,
    })
  }
  const amount = Money.fromUnits(openingBalances[index] ?? 0)
  yield* (yield* Accounts).topUp({ organization, amount })
  const { id } = yield* (yield* ApiKeys).create({ organization, name: "first" })
  return { organization, keys: [id] }
})

/** Sets up a history over a store. It lives until the scope closes. */
export const makeReal = Effect.fnUntraced(function* <E>(
  config: Config,
  storeLayer: Layer.Layer<Store, E>,
) {
  let hanging = 0
  const { honoursToken, lookup, reports } = config
  const base = yield* Layer.build(
    Layer.mergeAll(
      storeLayer,
      SimulatedGateway.layer({
        capabilities: {
          tokenMillis: honoursToken ? Infinity : 0,
          lookup,
          reports: reports ? "signed" : "none",
          timeoutMillis: gatewayTimeoutMillis,
        },
        journalSize: 10_000,
        isOnWhatsApp: (to) => personAt(to)?.isOnWhatsApp ?? false,
        behave: ({ channel, phoneNumber }) => {
          const person = personAt(phoneNumber) ?? unknownPerson
          const behaviour = behaviourOf(person, channel, config)
          if (behaviour._tag === "NeverAnswer") hanging += 1
          return behaviour
        },
      }),
      CodeSecrets.layer(TestEngine.codeSecret),
    ).pipe(Layer.provideMerge(TestCrypto.layer(1))),
  )
  const limits: Limits.Limits = { ...Limits.defaults, ...limitsOf(config) }
  const node = Layer.fresh(Engine.layer).pipe(
    Layer.provide(Layer.succeed(Limits.Limits, limits)),
    Layer.provide(Layer.succeed(FraudRules, rulesOf(config))),
    Layer.provide(config.fallback ? Fallback.layer() : Layer.empty),
    Layer.provide(Layer.succeedContext(base)),
  )
  const nodes = [yield* Layer.build(Layer.fresh(node)), yield* Layer.build(Layer.fresh(node))]

  const on: Real["on"] = (index, effect) => Effect.provide(effect, cycled(nodes, index))

  const untilDone = <A, E2>(effect: Effect.Effect<A, E2>): Effect.Effect<A, E2> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(effect)
      for (let turns = 0; fiber.pollUnsafe() === undefined; turns++) {
        yield* turn(turns)
        if (hanging === 0) continue
        hanging = 0
        // The request to the gateway is out. Its timeout starts in the same turn.
        yield* Effect.replicateEffect(Effect.yieldNow, 5)
        yield* TestClock.adjust(gatewayTimeoutMillis)
      }
      return yield* Fiber.join(fiber)
    })

  const untilTrue = Effect.fnUntraced(function* <E2>(condition: Effect.Effect<boolean, E2>) {
    for (let turns = 0; !(yield* condition); turns++) {
      if (turns > maxTurns) return yield* Effect.die(new Error("The engine never gets there"))
      yield* turn(turns)
    }
  })

  const opened = yield* on(
    0,
    Effect.forEach(organizationNames, (name, index) => openOrganization(name, index, config)),
  )
  let keys = 0
  const real: Real = {
    config,
    store: Context.get(base, Store),
    gateway: Context.get(base, SimulatedGateway.SimulatedGateway),
    send: Context.get(base, Gateway).send,
    organizations: opened.map(({ organization }) => organization),
    keys: opened.map(({ keys }) => keys),
    requests: [],
    queued: [],
    calls: [],
    on,
    untilDone,
    newKey: () => `key ${(keys += 1)}`,
    untilTrue,
    codes: Context.get(
      yield* Layer.build(Layer.provide(codesLayer, Layer.succeedContext(base))),
      Codes,
    ),
  }
  return real
})
