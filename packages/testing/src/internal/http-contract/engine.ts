/**
 * An engine to test the HTTP API with: a simulated gateway, a clock that stands still, and the host's
 * functions for the tests.
 */
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Senders } from "@countersign/core/services/Senders"
import { DispatchPolicy } from "@countersign/core/delivery/Dispatcher"
import * as Engine from "@countersign/core/Engine"
import { Events } from "@countersign/core/engine/Events"
import { type ApiKeyId, SenderId, type MessageRef } from "@countersign/core/domain/values/Ids"
import * as Message from "@countersign/core/domain/messages/Message"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import { Proofs } from "@countersign/core/ports/Proofs"
import { Pricing, standard } from "@countersign/core/decide/Pricing"
import { Reports } from "@countersign/core/services/Reports"
import { SettlementPolicy } from "@countersign/core/jobs/Settlement"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import type { Store } from "@countersign/core/ports/Store"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { Aead } from "effect/crypto/Aead"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { behave, isOnWhatsApp } from "./specialNumbers.ts"
import {
  type Host,
  type MountOptions,
  type OrganizationOptions,
  type Sender,
  Subject,
} from "./subject.ts"

/** The keys that a service under test publishes. */
export const publicKeys = [
  { kty: "OKP", crv: "Ed25519", use: "sig", kid: "contract", x: "AAAA" },
] as const

/** Timeout of the gateway. A silent gateway costs a test this much real time. */
export const gatewayTimeoutMillis = 200

/** Time after which an open outcome is refunded. */
const settleMillis = 24 * 60 * 60 * 1_000

/** The time of the engine under test. */
export class Time extends Context.Service<
  Time,
  { readonly now: () => number; readonly advance: (millis: number) => void }
>()("@countersign/testing/HttpContract/Time") {}

/**
 * Also replaces the Effect `Clock`. The time stands still until a test moves it, so that tests can hit a
 * boundary to the millisecond. Timers run normally, so that sockets and timeouts work.
 */
export const layerTime: Layer.Layer<Time> = Layer.effectContext(
  Effect.map(Clock.Clock, (machine) => {
    const start = machine.currentTimeMillisUnsafe()
    let now = start
    const nanos = () => BigInt(now) * 1_000_000n
    // Moves together with the wall clock: the engine distrusts a clock that runs ahead of the elapsed time.
    const monotonic = () => machine.monotonicTimeNanosUnsafe() + BigInt(now - start) * 1_000_000n
    const steady: Clock.Clock = {
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => machine.sleep(duration),
    }
    const advance = (millis: number): void => {
      now += millis
    }
    return Context.make(Clock.Clock, steady).pipe(
      Context.add(Time, Time.of({ now: () => now, advance })),
    )
  }),
)

/** Internals of the engine that the tests need. */
class Bench extends Context.Service<
  Bench,
  {
    readonly whatsAppPrices: Map<string, Money.Money>
    /** References of the messages that the gateway received, by their ids. */
    readonly refs: Map<string, MessageRef>
  }
>()("@countersign/testing/HttpContract/Bench") {}

const layerBench = Layer.sync(Bench, () => ({ whatsAppPrices: new Map(), refs: new Map() }))

const layerGateway = Layer.unwrap(
  Effect.map(Bench, ({ refs }) =>
    SimulatedGateway.layer({
      capabilities: { timeoutMillis: gatewayTimeoutMillis },
      behave: (message) => {
        refs.set(Message.logId({ id: message.token, sequence: message.ref.sequence }), message.ref)
        return behave(message)
      },
      isOnWhatsApp,
      journalSize: 100_000,
    }),
  ),
)

const layerPricing = Layer.effect(
  Pricing,
  Effect.map(Bench, ({ whatsAppPrices }) => ({
    currency: standard.currency,
    price: (item) =>
      (item.channel === "whatsapp" ? whatsAppPrices.get(item.organization) : undefined) ??
      standard.price(item),
  })),
)

const layerPolicies = Layer.mergeAll(
  layerPricing,
  Layer.succeed(DispatchPolicy, { leaseMarginMillis: 60_000, settleMillis }),
  // No round runs during the tests.
  Layer.succeed(SettlementPolicy, { intervalMillis: settleMillis, batch: 1_000 }),
  CodeSecrets.layer(Redacted.make("a secret for tests, and only for tests")),
)

/** A signer whose proofs are the claims themselves. */
const layerProofs = Layer.succeed(Proofs, {
  sign: (claims) => Effect.succeed(Redacted.make(JSON.stringify(claims), { label: "proof" })),
  jwks: { keys: publicKeys },
})

/** The engine of one node. */
const layerNode = Layer.orDie(Engine.layerRunning).pipe(
  Layer.provideMerge(layerProofs),
  Layer.provideMerge(layerGateway),
  Layer.provide(layerPolicies),
)

/** Dependencies of the service under test. */
export type Requirements = Store | Aead | Mac | Digest | SecureRandom | Time

/** Mounts the HTTP API over the engine of the context until the scope closes. Returns the base URL. */
export type Serve<E> = (
  options: MountOptions,
) => Effect.Effect<string, E, Engine.Engine | Scope.Scope>

const defaultSenders: ReadonlyArray<Sender> = [
  { id: "brd_number", kind: "non-masking", sender: "8809612000101", isDefault: true },
  { id: "brd_profile", kind: "whatsapp", sender: "contract-profile", isDefault: true },
]

/** Makes organizations, sequentially or concurrently. */
const makeOrganizations = Effect.gen(function* () {
  const accounts = yield* Accounts
  const apiKeys = yield* ApiKeys
  const senders = yield* Senders
  const organizations = yield* Organizations
  const { whatsAppPrices } = yield* Bench
  const eventsOf = yield* collectEvents
  // With the context's clock, so that the engine and the tests share the time.
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  let made = 0

  return Effect.fnUntraced(function* (options: OrganizationOptions) {
    made += 1
    const { settings, whatsAppPrice } = options
    const { id: organization } = yield* organizations.create({ id: `org_${made}`, ...settings })
    if (whatsAppPrice !== undefined) {
      whatsAppPrices.set(organization, Money.make(whatsAppPrice))
    }
    const saveSender = (sender: Sender) =>
      Effect.map(senders.save({ organization, status: "approved", ...sender }), ({ id }) => id)
    yield* Effect.forEach([...defaultSenders, ...(options.senders ?? [])], saveSender)
    const topUp = (text: string) => accounts.topUp({ organization, amount: Money.make(text) })
    const balance = options.balance ?? "100"
    if (Money.make(balance) > 0) yield* topUp(balance)
    const keyIds = new Map<string, ApiKeyId>()
    const createKey: Host["createKey"] = async (limits) => {
      const input = { organization, name: "contract", environment: "test", ...limits } as const
      const { id, key } = await run(apiKeys.create(input))
      keyIds.set(Redacted.value(key), id)
      return Redacted.value(key)
    }
    const idOf = (key: string): ApiKeyId => {
      const id = keyIds.get(key)
      if (id === undefined) throw new Error("Not a key of this organization")
      return id
    }
    const host: Host = {
      createKey,
      revokeKey: async (key) => run(apiKeys.revoke({ organization, id: idOf(key) })),
      topUp: (amount) => run(Effect.asVoid(topUp(amount))),
      configure: (changes) =>
        run(Effect.asVoid(organizations.update({ ...changes, id: organization }))),
      setSuspended: (isSuspended) => {
        const change = isSuspended ? organizations.suspend : organizations.resume
        return run(Effect.asVoid(change({ id: organization })))
      },
      saveSender: (sender) => run(saveSender(sender)),
      withdrawSender: (id) => run(senders.withdraw({ organization, id: SenderId(id) })),
      eventsOf,
    }
    return host
  })
})

/** Collects the names of the events per request, in order. */
const collectEvents = Effect.gen(function* () {
  const events = yield* Events
  const names = new Map<string, Array<string>>()
  yield* events.stream.pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        if (!("requestId" in event)) return
        names.set(event.requestId, [...(names.get(event.requestId) ?? []), event._tag])
      }),
    ),
    Effect.forkScoped({ startImmediately: true }),
  )
  return (requestId: string) => names.get(requestId) ?? []
})

const make = Effect.fnUntraced(function* <E>(serve: Serve<E>) {
  const context = yield* Effect.context<
    Engine.Engine | SimulatedGateway.SimulatedGateway | Bench | Requirements | Scope.Scope
  >()
  const { refs } = yield* Bench
  const gateway = yield* SimulatedGateway.SimulatedGateway
  const reports = yield* Reports
  const time = yield* Time
  const organization = yield* makeOrganizations
  const run = Effect.runPromiseWith(context)

  return Subject.of({
    serve: (options) => run(serve(options)),
    // `fresh` makes a second engine; otherwise the layer would be shared.
    serveFromAnotherNode: () =>
      run(
        Effect.flatMap(Layer.build(Layer.fresh(layerNode)), (node) =>
          Effect.provideContext(serve({}), node),
        ),
      ),
    organization: (options) => run(organization(options)),
    journal: (number) => run(gateway.journal(number)),
    report: (messageId, status) => {
      const ref = refs.get(messageId)
      if (ref === undefined) return Promise.reject(new Error("The gateway was never handed that"))
      const detail = `simulated: ${status}`
      return run(
        Effect.asVoid(reports.receive({ of: { _tag: "Message", ...ref }, status, detail })),
      )
    },
    now: time.now,
    advance: time.advance,
  })
})

/** The subject over an HTTP API that `serve` mounts. */
export const layer = <E>(serve: Serve<E>): Layer.Layer<Subject, never, Requirements> =>
  Layer.effect(Subject, make(serve)).pipe(Layer.provide(layerNode), Layer.provide(layerBench))
