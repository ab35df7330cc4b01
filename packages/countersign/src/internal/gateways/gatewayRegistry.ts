import type { GatewayHealth } from "@countersign/core/domain/messages/GatewayHealth"
import { Gateway } from "@countersign/core/ports/Gateway"
import * as Router from "@countersign/core/routing/Router"
import type { Adapter } from "@countersign/gateways/Adapter"
import { urlOf } from "@countersign/gateways/Callbacks"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
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

const routed = Effect.fnUntraced(function* (
  { members, routes }: Extract<Plan, { readonly kind: "routed" }>,
  { publicUrl, routing = {} }: Settings,
) {
  const adapters: Array<Adapter> = []
  const memberOf = Effect.fnUntraced(function* ({ made, recipientPause, perSecond }: Member) {
    if (isEffect(made)) return { gateway: made, recipientPause, perSecond }
    if (!isVendorFactory(made)) {
      const own = HostGateway.toAdapter(made)
      if (own.callback !== undefined) adapters.push(own)
      return { gateway: own.gateway, recipientPause, perSecond }
    }
    const adapter = yield* adapterOf(made, publicUrl)
    if (adapter.callback !== undefined) adapters.push(adapter)
    return { gateway: adapter.gateway, recipientPause, perSecond }
  })
  const [first, ...others] = members
  const options: Router.Options = {
    members: [yield* memberOf(first), ...(yield* Effect.forEach(others, memberOf))],
    ...routing,
    routes,
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

/** Gateways without routing, by their names. */
const alone = (
  gateway: Gateway["Service"],
  names: ReadonlyArray<string>,
  adapters: ReadonlyArray<Adapter> = [],
) => {
  const registry = GatewayRegistry.of({
    health: Effect.succeed(names.map((name) => ({ gateway: name, state: "available" }))),
    changes: Stream.never,
    adapters,
    nameOf: (given) => {
      if (given === undefined) return names.length === 1 ? names[0] : undefined
      return names.includes(given) ? given : undefined
    },
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
      const { sms, whatsapp } = plan.pair
      const own = [...new Set([sms, whatsapp])].filter((one) => one !== undefined)
      const names = own.map(({ name }) => name)
      const adapters = own.map(HostGateway.toAdapter)
      return alone(
        HostGateway.pair(plan.pair),
        [...new Set(names)],
        adapters.filter(({ callback }) => callback !== undefined),
      )
    }
    case "effect":
      return alone(plan.gateway, [plan.gateway.name])
    case "routed":
      return Layer.unwrap(routed(plan, settings)).pipe(Layer.provide(FetchHttpClient.layer))
  }
}
