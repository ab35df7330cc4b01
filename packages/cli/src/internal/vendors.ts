/** The gateways whose credentials are in the environment, by the names that their documents have. */
import { Gateway } from "@countersign/core/ports/Gateway"
import * as Router from "@countersign/core/routing/Router"
import * as HttpGateway from "@countersign/gateways/HttpGateway"
import { layerCrypto } from "@countersign/node/Node"
import type * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import { UsageError } from "./failures.ts"
import { configured } from "./vendorModules.ts"

type Platform = HttpClient | Mac | Digest | SecureRandom

type Vendor = Layer.Layer<Gateway, Config.ConfigError | HttpGateway.InvalidDescription, Platform>

export type VendorName = keyof typeof configured | "http"

export const names: ReadonlyArray<VendorName> = [...Struct.keys(configured), "http"]

const platform = Layer.merge(FetchHttpClient.layer, layerCrypto)

/** Names the variable that is missing or not valid. */
const problemOf = ({ message }: { readonly message: string }): string => {
  const variable = /at \["(\w+)"\]/.exec(message)?.[1]
  return variable === undefined ? message : `${variable} is missing or not valid`
}

/** A gateway with the credentials of the environment. Fails with the name of a variable that is missing. */
export const layerOf = (name: VendorName): Layer.Layer<Gateway, UsageError> => {
  const vendor: Vendor =
    name === "http" ? HttpGateway.layerConfig() : configured[name].layerConfig()
  return vendor.pipe(
    Layer.provide(platform),
    Layer.catch((error) =>
      Layer.effect(Gateway, new UsageError({ message: `${name}: ${problemOf(error)}` })),
    ),
  )
}

/** Reads the credentials of a gateway. Makes no connection: a second one may close the connection of the host. */
const credentialsOf = (name: VendorName): Effect.Effect<unknown, { readonly message: string }> =>
  name === "http"
    ? Effect.scoped(Layer.build(Layer.provide(HttpGateway.layerConfig(), platform)))
    : Effect.gen(function* () {
        return yield* configured[name].config
      })

/** The gateways of which the environment has at least one value, and why the values cannot be used, if so. */
export const credentials = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const found: Array<{ readonly name: VendorName; readonly problem: string | undefined }> = []
  for (const name of names) {
    let isMentioned = false
    const watched = ConfigProvider.make((path) =>
      Effect.tap(provider.load(path), (value) =>
        Effect.sync(() => {
          if (value !== undefined) isMentioned = true
        }),
      ),
    )
    const problem = yield* credentialsOf(name).pipe(
      Effect.as(undefined),
      Effect.catch((error) => Effect.succeed(problemOf(error))),
      Effect.provideService(ConfigProvider.ConfigProvider, watched),
    )
    if (isMentioned) found.push({ name, problem })
  }
  return found
})

/** Looks messages up at gateways, and sends nothing: the texts of the host are not known here. */
export const layerLookup = (chosen: readonly [VendorName, ...ReadonlyArray<VendorName>]) => {
  const member = (name: VendorName) =>
    Effect.map(Layer.build(layerOf(name)), (context) => ({
      gateway: Context.get(context, Gateway),
    }))
  const [first, ...others] = chosen
  const router = Layer.unwrap(
    Effect.gen(function* () {
      const members = [yield* member(first), ...(yield* Effect.forEach(others, member))] as const
      return Router.layer({ members })
    }),
  ).pipe(Layer.provide(layerCrypto))
  return Layer.effect(
    Gateway,
    Effect.map(Gateway, (gateway) => ({
      ...gateway,
      // Not that of the router: it stands for all gateways of the host, which may have more than these. The silence
      // of these would count as proof that a message was not sent.
      name: "command line",
      lookupNames: gateway.lookupNames?.filter((name) => name !== Router.name),
      // Without it, the engine would send a message again whose node has died.
      capabilities: { ...gateway.capabilities, tokenMillis: 0 },
      send: () => Effect.die(new Error("The command line sends no message of an organization")),
    })),
  ).pipe(Layer.provide(router))
}
