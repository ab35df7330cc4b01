import type { GatewayHealth } from "@countersign/core/domain/GatewayHealth"
import { Gateway } from "@countersign/core/ports/Gateway"
import * as Router from "@countersign/core/routing/Router"
import type { Adapter } from "@countersign/gateways/Adapter"
import { urlOf } from "@countersign/gateways/Callbacks"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ConfigurationError } from "../errors/errors.ts"
import * as HostGateway from "./hostGateway.ts"
import type { RoutingOptions } from "../types/gateways.ts"
import { isEffect, isVendorFactory, type Member, type Plan } from "./plan.ts"
import type { Requirements, VendorFactory } from "./vendorFactory.ts"

/** The health of all gateways of a host, and their report adapters. */
export class GatewayRegistry extends Context.Service<
  GatewayRegistry,
  {
    /** The health of all gateways, in the order of the configuration. */
    readonly health: Effect.Effect<ReadonlyArray<GatewayHealth>>
    readonly changes: Stream.Stream<GatewayHealth>
    /** The adapters of the gateways that read vendors' reports. */
    readonly adapters: ReadonlyArray<Adapter>
    /**
     * Returns the engine's name of a report's gateway. Without a name, it is the only gateway written with
     * promises; `undefined` if there is not exactly one.
     */
    readonly nameOf: (given: string | undefined) => string | undefined
  }
>()("countersign/internal/GatewayRegistry") {}

export interface Settings {
  /** The address at which vendors reach the host. */
  readonly publicUrl: string | undefined
  readonly routing: RoutingOptions | undefined
}

/** Returns the reason why a gateway cannot be created. Omits the message of a cause that may contain a secret. */
const reasonOf = ({ secrets }: VendorFactory, cause: Cause.Cause<Error>): string => {
  const error = Cause.squash(cause)
  const said = error instanceof Error ? error.message : ""
  return said === "" || secrets.some((secret) => said.includes(secret))
    ? "cannot be made of these options"
    : said
}

const adapterOf = (
  factory: VendorFactory,
  publicUrl: string | undefined,
): Effect.Effect<Adapter, ConfigurationError, Requirements> => {
  const { name } = factory.gateway
  return factory
    .make(publicUrl === undefined ? undefined : urlOf(publicUrl, name))
    .pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.fail(new ConfigurationError(`gateways: ${name}: ${reasonOf(factory, cause)}`)),
      ),
    )
}

const millis = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1_000

const lasting = (seconds: number | undefined): Duration.Duration | undefined =>
  seconds === undefined ? undefined : Duration.seconds(seconds)

const routed = Effect.fnUntraced(function* (
  { members, routes }: Extract<Plan, { readonly kind: "routed" }>,
  { publicUrl, routing = {} }: Settings,
) {
  const adapters: Array<Adapter> = []
  const memberOf = Effect.fnUntraced(function* ({ made, pairMillis, perSecond }: Member) {
    if (isEffect(made)) return { gateway: made, pairMillis, perSecond }
    if (!isVendorFactory(made)) return { gateway: HostGateway.member(made), pairMillis, perSecond }
    const adapter = yield* adapterOf(made, publicUrl)
    if (adapter.callback !== undefined) adapters.push(adapter)
    return { gateway: adapter.gateway, pairMillis, perSecond }
  })
  const [first, ...others] = members
  const options: Router.Options = {
    members: [yield* memberOf(first), ...(yield* Effect.forEach(others, memberOf))],
    routes,
    budgetMillis: millis(routing.budgetSeconds),
    failures: routing.failures,
    openFor: lasting(routing.leftAloneSeconds),
    barredFor: lasting(routing.barredSeconds),
    unreachableMillis: millis(routing.notOnWhatsAppSeconds),
  }
  const names = new Set(members.map(({ name }) => name))
  const own = members.filter(({ made }) => !isVendorFactory(made) && !isEffect(made))
  const nameOf = (given: string | undefined): string | undefined => {
    if (given === undefined) return own.length === 1 ? own[0]?.name : undefined
    return names.has(given) ? given : undefined
  }
  const registry = Layer.effect(
    GatewayRegistry,
    Effect.map(Router.Router, ({ changes, health }) =>
      GatewayRegistry.of({ health, changes, adapters, nameOf }),
    ),
  )
  return Layer.provideMerge(registry, Router.layer(options))
})

/** One gateway without routing. It carries messages under its name, and hosts know it by `names`. */
const alone = (gateway: Gateway["Service"], names: ReadonlyArray<string>) => {
  const registry = GatewayRegistry.of({
    health: Effect.succeed(names.map((name) => ({ gateway: name, state: "available" }))),
    changes: Stream.never,
    adapters: [],
    nameOf: (given) => (given === undefined || names.includes(given) ? gateway.name : undefined),
  })
  return Layer.merge(Layer.succeed(Gateway, gateway), Layer.succeed(GatewayRegistry, registry))
}

/** Creates the gateways. Fails with a `ConfigurationError`, which contains no secret, if the options are invalid. */
export const layer = (
  plan: Plan,
  settings: Settings,
): Layer.Layer<Gateway | GatewayRegistry, ConfigurationError, Mac | Digest | SecureRandom> => {
  switch (plan.kind) {
    case "pair": {
      const names = [plan.pair.sms?.name, plan.pair.whatsapp?.name].filter(
        (name) => name !== undefined,
      )
      return alone(HostGateway.pair(plan.pair), [...new Set(names)])
    }
    case "effect":
      return alone(plan.gateway, [plan.gateway.name])
    case "routed":
      return Layer.unwrap(routed(plan, settings)).pipe(Layer.provide(FetchHttpClient.layer))
  }
}
