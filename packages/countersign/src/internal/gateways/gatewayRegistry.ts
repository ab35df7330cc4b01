import type { GatewayHealth } from "@countersign/core/domain/messages/GatewayHealth"
import { Gateway, type GatewayState } from "@countersign/core/ports/Gateway"
import type { Adapter } from "@countersign/gateways/Adapter"
import { urlOf } from "@countersign/gateways/Callbacks"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { ConfigurationError } from "../errors/errors.ts"
import * as HostGateway from "./hostGateway.ts"
import type { CountersignOptions } from "../types/options.ts"
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

type Options = Pick<CountersignOptions, "callbacks" | "routing">

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

const make = Effect.fnUntraced(function* (plan: Plan, { callbacks, routing }: Options) {
  const adapters: Array<Adapter> = []
  const memberOf = Effect.fnUntraced(function* ({ made, recipientPause, perSecond }: Member) {
    if (isEffect(made)) return { gateway: made, recipientPause, perSecond }
    const adapter = isVendorFactory(made)
      ? yield* adapterOf(made, callbacks?.publicUrl)
      : HostGateway.toAdapter(made)
    if (adapter.callback !== undefined) adapters.push(adapter)
    return { gateway: adapter.gateway, recipientPause, perSecond }
  })
  const members = yield* Effect.forEach(plan.members, memberOf)
  const namesOf = (some: ReadonlyArray<Member>) => new Set(some.map(({ name }) => name))
  const names = namesOf(plan.members)
  const isOwn = ({ made }: Member) => !isVendorFactory(made) && !isEffect(made)
  const own = "routes" in plan ? namesOf(plan.members.filter(isOwn)) : names
  const rest = {
    adapters,
    nameOf: (given: string | undefined) => {
      if (given === undefined) return own.size === 1 ? [...own][0] : undefined
      return names.has(given) ? given : undefined
    },
  }
  const available = [...names].map((gateway) => ({ gateway, state: "available" as const }))
  const registry = Effect.map(Gateway, ({ health = Stream.never, states }) => ({
    health: states === undefined ? Effect.succeed(available) : Effect.map(states, healthOf),
    changes: health,
    ...rest,
  }))
  const gateway =
    "routes" in plan
      ? (yield* Effect.promise(() => import("@countersign/core/routing/Router"))).layer({
          members,
          ...routing,
          routes: plan.routes,
        })
      : Layer.succeed(Gateway, plan.unrouted)
  return Layer.provideMerge(Layer.effect(GatewayRegistry, registry), gateway)
})

const healthOf = (states: ReadonlyArray<GatewayState>): ReadonlyArray<GatewayHealth> =>
  states.map(
    Struct.omit(["capabilities", "channels", "moved", "pairMillis", "perSecond", "retryAt"]),
  )

/** Creates the gateways. Fails with a `ConfigurationError`, which contains no secret, if the options are invalid. */
export const layer = (
  plan: Plan,
  options: Options,
): Layer.Layer<Gateway | GatewayRegistry, ConfigurationError, Mac | Digest | SecureRandom> =>
  Layer.unwrap(make(plan, options))
