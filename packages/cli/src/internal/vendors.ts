/**
 * The gateways whose credentials are in the environment, by the names that their documents have.
 */
import { Gateway } from "@countersign/core/ports/Gateway"
import * as Router from "@countersign/core/routing/Router"
import * as AlphaSms from "@countersign/gateways/AlphaSms"
import * as Banglalink from "@countersign/gateways/Banglalink"
import * as BulkSmsBd from "@countersign/gateways/BulkSmsBd"
import * as Grameenphone from "@countersign/gateways/Grameenphone"
import * as HttpGateway from "@countersign/gateways/HttpGateway"
import * as Kannel from "@countersign/gateways/Kannel"
import * as MimSms from "@countersign/gateways/MimSms"
import * as Robi from "@countersign/gateways/Robi"
import * as Smpp from "@countersign/gateways/Smpp"
import * as SmsGate from "@countersign/gateways/SmsGate"
import * as SslWireless from "@countersign/gateways/SslWireless"
import * as Twilio from "@countersign/gateways/Twilio"
import * as Vonage from "@countersign/gateways/Vonage"
import * as WhatsAppCloud from "@countersign/gateways/WhatsAppCloud"
import { layerCrypto } from "@countersign/node/Node"
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { UsageError } from "./failures.ts"

type Platform = HttpClient | Mac | Digest | SecureRandom

type Vendor = Layer.Layer<Gateway, Config.ConfigError | HttpGateway.InvalidDescription, Platform>

const layers = {
  "alpha-sms": AlphaSms.layerConfig(),
  banglalink: Banglalink.layerConfig(),
  bulksmsbd: BulkSmsBd.layerConfig(),
  grameenphone: Grameenphone.layerConfig(),
  http: HttpGateway.layerConfig(),
  kannel: Kannel.layerConfig(),
  mimsms: MimSms.layerConfig(),
  robi: Robi.layerConfig(),
  smpp: Smpp.layerConfig(),
  smsgate: SmsGate.layerConfig(),
  "ssl-wireless": SslWireless.layerConfig(),
  twilio: Twilio.layerConfig(),
  vonage: Vonage.layerConfig(),
  "whatsapp-cloud": WhatsAppCloud.layerConfig(),
} satisfies Readonly<Record<string, Vendor>>

export type VendorName = keyof typeof layers

export const names: ReadonlyArray<VendorName> = [
  "alpha-sms",
  "banglalink",
  "bulksmsbd",
  "grameenphone",
  "http",
  "kannel",
  "mimsms",
  "robi",
  "smpp",
  "smsgate",
  "ssl-wireless",
  "twilio",
  "vonage",
  "whatsapp-cloud",
]

const platform = Layer.merge(FetchHttpClient.layer, layerCrypto)

/** A gateway with the credentials of the environment. Fails with the name of a variable that is missing. */
export const layerOf = (name: VendorName): Layer.Layer<Gateway, UsageError> => {
  const vendor: Vendor = layers[name]
  return vendor.pipe(
    Layer.provide(platform),
    Layer.catch((error) =>
      Layer.effect(Gateway, new UsageError({ message: `${name}: ${error.message}` })),
    ),
  )
}

/** Looks messages up at gateways, and sends nothing: the texts of the host are not known here. */
export const layerLookup = (
  chosen: readonly [VendorName, ...ReadonlyArray<VendorName>],
): Layer.Layer<Gateway, UsageError> => {
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
