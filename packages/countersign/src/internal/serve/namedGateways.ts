/** Gateways that a configuration names by their vendors. */
import * as FieldNames from "@countersign/core/domain/values/FieldNames"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Gateways from "../../gateways.ts"
import { refuse } from "../options/check.ts"
import { factoryOf } from "../gateways/vendorFactory.ts"
import { check, type Shape } from "../options/shape.ts"
import { vendorShapes } from "../options/vendorShapes.ts"
import type { AnyGateway, GatewayList, VendorGateway } from "../types/gateways.ts"
import type { ServedGateway, ServeOptions, VendorSettings } from "../types/serve.ts"

/** Whether the options have the shape of the vendor's; throws `ConfigurationError` if not. */
const fits = <Options>(shape: Shape, given: unknown, name: string): given is Options => {
  check(shape, given, [name])
  return true
}

/** The function of a vendor, for options of any origin. It checks what a shape cannot say. */
const vendor =
  <Options>(vendorName: keyof typeof vendorShapes, create: (options: Options) => VendorGateway) =>
  (given: unknown, place: string): VendorGateway =>
    fits<Options>(vendorShapes[vendorName], given, place) ? create(given) : refuse(place)

/** The functions, by the names of their vendors. */
export const vendors: {
  readonly [Name in keyof typeof vendorShapes]: (given: unknown, place: string) => VendorGateway
} = {
  "alpha-sms": vendor("alpha-sms", Gateways.alphaSms),
  banglalink: vendor("banglalink", Gateways.banglalink),
  bulksmsbd: vendor("bulksmsbd", Gateways.bulkSmsBd),
  grameenphone: vendor("grameenphone", Gateways.grameenphone),
  http: vendor("http", Gateways.httpGateway),
  kannel: vendor("kannel", Gateways.kannel),
  mimsms: vendor("mimsms", Gateways.mimSms),
  robi: vendor("robi", Gateways.robi),
  smpp: vendor("smpp", Gateways.smpp),
  smsgate: vendor("smsgate", Gateways.smsGate),
  "ssl-wireless": vendor("ssl-wireless", Gateways.sslWireless),
  twilio: vendor("twilio", Gateways.twilio),
  vonage: vendor("vonage", Gateways.vonage),
  "whatsapp-cloud": vendor("whatsapp-cloud", Gateways.whatsappCloud),
}

const isSettings = (gateway: ServedGateway): gateway is VendorSettings =>
  Predicate.isObject(gateway) && "vendor" in gateway && factoryOf(gateway) === undefined

const gatewayOf = (gateway: ServedGateway, place: string): AnyGateway => {
  if (!isSettings(gateway)) return gateway
  const { vendor: name, ...options } = gateway
  const found = Object.entries(vendors).find(([known]) => known === name)?.[1]
  if (found !== undefined) return found(options, `${place} (${name})`)
  const meant = FieldNames.nearest(String(name), Object.keys(vendors))
  return refuse(
    `${place}.vendor: there is no vendor "${name}"${meant === undefined ? "" : `; did you mean ${meant}?`}`,
  )
}

const isList = (
  gateways: NonNullable<ServeOptions["gateways"]>,
): gateways is ReadonlyArray<ServedGateway> => Array.isArray(gateways)

/** The gateways as values. Leaves what is no gateway to the checks of `createCountersign`. */
export const gatewaysOf = (gateways: NonNullable<ServeOptions["gateways"]>): GatewayList => {
  if (!Predicate.isObjectOrArray(gateways)) {
    return refuse("gateways must be a list of gateways, or { sms, whatsapp }")
  }
  const one = (gateway: ServedGateway | undefined, place: string | number) =>
    gateway === undefined ? undefined : gatewayOf(gateway, `gateways.${place}`)
  return isList(gateways)
    ? gateways.map((gateway, index) => gatewayOf(gateway, `gateways.${index}`))
    : { ...gateways, ...Record.map({ sms: gateways.sms, whatsapp: gateways.whatsapp }, one) }
}
