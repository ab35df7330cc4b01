/** One engine on a node, over the store and the vendors that all nodes share. */
import * as Engine from "@countersign/core/Engine"
import { DispatchPolicy } from "@countersign/core/delivery/Dispatcher"
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import * as Limits from "@countersign/core/domain/limits/Limits"
import { CodeSecrets } from "@countersign/core/engine/CodeSecrets"
import * as Refusals from "@countersign/core/engine/Refusals"
import * as SmsFallback from "@countersign/core/engine/SmsFallback"
import { Gateway } from "@countersign/core/ports/Gateway"
import { Store } from "@countersign/core/ports/Store"
import { WebhookTransport } from "@countersign/core/ports/WebhookTransport"
import * as OutboxDelivery from "@countersign/core/jobs/OutboxDelivery"
import * as Router from "@countersign/core/routing/Router"
import * as Reports from "@countersign/core/services/Reports"
import * as Context from "effect/Context"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { SimulatedNode } from "../../SimulatedWorld.ts"
import * as TestCrypto from "../../TestCrypto.ts"
import type { Setup } from "./actions.ts"
import type { SimulatedStore } from "./simulatedStore.ts"
import type { SimulatedVendor } from "./simulatedVendor.ts"
import type { Stage } from "./stage.ts"

export const leaseMarginMillis = 5_000
export const settleMillis = 120_000
export const gatewayTimeoutMillis = 4_000

/** A lease that ends while its node waits for a gateway or for the store. */
const outboxPolicy = { intervalMillis: 5_000, concurrency: 8, leaseMillis: 10_000 }

const tight: Partial<Limits.Limits> = {
  sendsPerNumber: { max: 4, windowMillis: 60_000 },
  pendingPerNumber: 3,
  checksPerOrganization: { max: 12, windowMillis: 60_000 },
  guessesPerNumber: [
    { max: 3, windowMillis: 30_000 },
    { max: 5, windowMillis: 120_000 },
  ],
  guessesSinceSuccess: 4,
  resendCooldownMillis: 5_000,
  messagesPerOrganization: { max: 12, windowMillis: 60_000 },
}

export const limitsOf = ({ isTight }: Setup): Limits.Limits => ({
  ...Limits.defaults,
  resendCooldownMillis: 0,
  ...(isTight ? tight : {}),
})

/** The environment that the nodes of a history share. */
export interface Surroundings {
  readonly stage: Stage
  readonly setup: Setup
  readonly store: SimulatedStore
  /** The first carries WhatsApp, if there are several. */
  readonly vendors: readonly [SimulatedVendor, ...ReadonlyArray<SimulatedVendor>]
  readonly secrets: CodeSecrets["Service"]
  readonly transport: (node: SimulatedNode) => WebhookTransport
}

export interface Machine {
  readonly node: SimulatedNode
  readonly services: Context.Context<Engine.Engine>
}

/** The gateway of a node: the only vendor, or a router over all. */
const gatewayOf = Effect.fnUntraced(function* (
  { setup, vendors: [first, ...others] }: Surroundings,
  node: SimulatedNode,
): Effect.fn.Return<Layer.Layer<Gateway, never, SecureRandom.SecureRandom>> {
  const connect = (vendor: SimulatedVendor) =>
    Effect.map(Queue.unbounded<DeliveryReport>(), (reports) => vendor.connect({ node, reports }))
  const gateway = yield* connect(first)
  if (!setup.isRouted) return Layer.succeed(Gateway, gateway)
  const perSecond = setup.isTight ? 2 : undefined
  const forSms = yield* Effect.forEach(others, connect)
  return Router.layer({
    members: [{ gateway }, ...forSms.map((one) => ({ gateway: one, perSecond }))],
    routes: [
      { gateway: gateway.name, channels: ["whatsapp"] },
      ...forSms.map(({ name }, priority) => ({
        gateway: name,
        channels: ["sms"] as const,
        priority,
      })),
    ],
    retryFor: "3 seconds",
    pauseAfter: 3,
    pause: "4 seconds",
    accountPause: "20 seconds",
  })
})

/** Starts a node. Its engine receives reports and drains the outbox, and runs other jobs only when it is asked to. */
export const startMachine = (around: Surroundings, name: string, seed: number): Machine => {
  const { setup, stage, store, secrets, transport } = around
  const node = new SimulatedNode(stage.world, name)
  const build = Effect.gen(function* () {
    const gateway = yield* gatewayOf(around, node)
    const settings = Layer.mergeAll(
      Layer.succeed(Store, store.portOf(node)),
      Layer.succeed(CodeSecrets, secrets),
      Layer.succeed(Limits.Limits, limitsOf(setup)),
      Layer.succeed(DispatchPolicy, { leaseMarginMillis, settleMillis, graceMillis: 1_000 }),
      Layer.succeed(OutboxDelivery.OutboxPolicy, outboxPolicy),
      Layer.succeed(WebhookTransport, transport(node)),
      setup.fallback
        ? SmsFallback.layer({ reportWithin: "8 seconds", whatsappFirst: true })
        : Layer.empty,
    )
    const layer = Layer.mergeAll(
      Reports.layerBackground,
      Refusals.layerBackground,
      OutboxDelivery.layerBackground,
    ).pipe(
      Layer.provideMerge(Engine.layer),
      Layer.provide(gateway),
      Layer.provide(settings),
      Layer.provide(TestCrypto.layer(seed)),
    )
    return yield* Layer.buildWithScope(Layer.fresh(layer), yield* Scope.make())
  })
  let services: Context.Context<Engine.Engine> | undefined
  node.run(build, Context.empty(), (exit) => {
    if (Exit.isFailure(exit)) throw new Error(`A node does not start: ${String(exit.cause)}`)
    services = exit.value
  })
  stage.world.advance(0)
  if (services === undefined) throw new Error(`The node ${name} does not start in one step`)
  return { node, services }
}
