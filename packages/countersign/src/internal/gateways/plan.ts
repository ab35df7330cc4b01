import { type Channel, channels as allChannels } from "@countersign/core/domain/values/Channel"
import { type Gateway as Port, gatewayProblem } from "@countersign/core/ports/Gateway"
import * as Routing from "@countersign/core/routing/Routing"
import * as TestNumber from "@countersign/core/domain/verifications/TestNumber"
import { isReadonlyArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import { millisOf, positive, refuse, wholeNumber } from "../options/check.ts"
import * as HostGateway from "./hostGateway.ts"
import type { AnyGateway, Gateway, GatewayList, Gateways, Route } from "../types/gateways.ts"
import { gateway as gatewayShape } from "../options/optionShapes.ts"
import { check, refuseName } from "../options/shape.ts"
import type { CountersignOptions } from "../types/options.ts"
import type { Duration } from "@countersign/core/domain/values/DurationText"
import { type VendorFactory, factoryOf } from "./vendorFactory.ts"

export interface Member {
  readonly name: string
  /** `undefined`: all channels. */
  readonly channels?: ReadonlyArray<Channel> | undefined
  readonly perSecond?: number | undefined
  readonly recipientPause?: Duration | undefined
  /** The factory of a vendor's gateway, or a gateway written with promises or with Effect. */
  readonly made: Made
}

type Made = VendorFactory | Gateway | Port["Service"]

/** Several gateways with routes between them, or gateways that carry their channels without routing. */
export type Plan = { readonly members: NonEmptyReadonlyArray<Member> } & (
  | { readonly routes: ReadonlyArray<Route> }
  | { readonly unrouted: Port["Service"] }
)

/** Names with another meaning in the log. */
const reserved: ReadonlyArray<string> = ["router", TestNumber.gateway, HostGateway.pairName]

export const isVendorFactory = (made: Made): made is VendorFactory => "make" in made

/** Only gateways that are written with Effect state their capabilities in one object. */
export const isEffect = (gateway: AnyGateway | Made): gateway is Port["Service"] =>
  "capabilities" in gateway

const isOwn = (gateway: AnyGateway): gateway is Gateway =>
  "send" in gateway && typeof gateway.send === "function" && !isEffect(gateway)

/** Checks the options once. Nothing checks them again when a message is sent. */
const checkOptions = (gateway: Gateway): void => {
  const { idLifetime, name, recipientPause, timeout } = gateway
  const durations = { idLifetime, timeout, recipientPause }
  for (const [option, value] of Object.entries(durations)) {
    // A gateway may have members of its own, but none that looks like a time limit and is ignored.
    const wrong = Object.keys(gateway).find((key) => key !== option && key.startsWith(option))
    if (wrong !== undefined) {
      refuse(`gateways: ${name}.${wrong} is not an option; did you mean ${option}?`)
    }
    const min = option === "recipientPause" ? 0 : 1
    if (value !== undefined) millisOf(`gateways: ${name}.${option}`, value, { min })
  }
  for (const [option, shape] of Object.entries(gatewayShape)) {
    const value: unknown = Reflect.get(gateway, option)
    if (value !== undefined) check(shape, value, [`gateways: ${name}`, option])
  }
  if (gateway.lookupByToken === true && gateway.lookup === undefined) {
    refuse(`gateways: ${name}.lookupByToken needs the function lookup`)
  }
  if (gateway.callback !== undefined && gateway.reports !== true) {
    refuse(`gateways: ${name}.callback needs reports: true`)
  }
  if (gateway.reportsByReference === true && gateway.reports !== true) {
    refuse(`gateways: ${name}.reportsByReference needs reports: true`)
  }
}

const memberOf = (gateway: AnyGateway): Member => {
  const factory = factoryOf(gateway)
  if (factory !== undefined) {
    const [problem] = factory.problems
    if (problem !== undefined) return refuse(`gateways: ${problem}`)
    const { channels, recipientPause, perSecond } = factory
    return { name: factory.gateway.name, channels, perSecond, recipientPause, made: factory }
  }
  if (isEffect(gateway)) {
    const problem = gatewayProblem(gateway)
    if (problem !== undefined) return refuse(`gateways: ${problem}`)
    return { name: gateway.name, made: gateway }
  }
  if (!isOwn(gateway)) {
    const name = String(Reflect.get(gateway, "name") ?? "one of them")
    return refuse(
      `gateways: ${name} has no function send, and was not made by this copy of countersign/gateways`,
    )
  }
  const { channels, name, perSecond, recipientPause } = gateway
  if (typeof name !== "string" || name === "") return refuse("gateways: one has no name")
  positive(`gateways: ${name}.perSecond`, perSecond)
  checkOptions(gateway)
  return { name, channels, perSecond, recipientPause, made: gateway }
}

const checked = (members: ReadonlyArray<Member>, routes: ReadonlyArray<Route>): Plan => {
  const names = members.map(({ name }) => name)
  if (!isReadonlyArrayNonEmpty(members)) return refuse("gateways: the list is empty")
  const taken = names.find((name) => reserved.includes(name))
  if (taken !== undefined) return refuse(`gateways: "${taken}" cannot be the name of one`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    return refuse(`gateways: two are called "${twice}"; give one of them another name`)
  }
  const [problem] = Routing.problems(routes, names)
  if (problem !== undefined) return refuse(`routing: ${problem}`)
  return {
    members,
    // A gateway must not be tried for a channel that it does not carry, because that would count as a failure.
    routes: routes.map((route, index) => {
      const { channels: carried = allChannels } =
        members.find(({ name }) => name === route.gateway) ?? {}
      const { channels: given = allChannels } = route
      const channels = given.filter((channel) => carried.includes(channel))
      return channels.length === 0
        ? refuse(`routing: route ${index + 1}: "${route.gateway}" carries none of its channels`)
        : { ...route, channels }
    }),
  }
}

const planOfList = (gateways: ReadonlyArray<AnyGateway>, { routing }: CountersignOptions): Plan => {
  const members = gateways.map(memberOf)
  const inOrder = members.map(({ name }, priority): Route => ({ gateway: name, priority }))
  return checked(members, routing?.routes ?? inOrder)
}

/** The gateway that needs no routing: one written with Effect, or those written with promises, without rates. */
const unroutedOf = (
  members: ReadonlyArray<Member>,
  { sms, whatsapp }: Gateways,
): Port["Service"] | undefined => {
  if (sms !== undefined && sms === whatsapp && isEffect(sms)) return sms
  const hasRate = ({ perSecond, recipientPause }: Member) =>
    perSecond !== undefined || recipientPause !== undefined
  if (members.some(hasRate)) return undefined
  const isPlain = (one: AnyGateway | undefined): one is Gateway | undefined =>
    one === undefined || isOwn(one)
  return isPlain(sms) && isPlain(whatsapp) ? HostGateway.pair({ sms, whatsapp }) : undefined
}

const planOfChannels = (given: Gateways, { routing }: CountersignOptions): Plan => {
  const all = [...new Set([given.sms, given.whatsapp].filter((one) => one !== undefined))]
  const members = all.map(memberOf)
  if (routing?.routes !== undefined) {
    return refuse("routing.routes go with a list of gateways, and not with { sms, whatsapp }")
  }
  const unrouted = routing === undefined ? unroutedOf(members, given) : undefined
  if (unrouted !== undefined && isReadonlyArrayNonEmpty(members)) return { members, unrouted }
  return checked(
    members,
    all.map((gateway): Route => {
      const channels = allChannels.filter((channel) => given[channel] === gateway)
      return { gateway: gateway.name, channels }
    }),
  )
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Refuses a value that is neither a list of gateways nor one gateway for each channel. */
export const checkGateways = (gateways: unknown): void => {
  const expected = "gateways must be a list of gateways, or { sms, whatsapp }"
  if (!isObject(gateways)) return refuse(expected)
  const one = Array.isArray(gateways) ? gateways : Object.values(gateways)
  if ("send" in gateways || factoryOf(gateways) !== undefined) {
    return refuse(`${expected}; put a single gateway into a list`)
  }
  if (!Array.isArray(gateways)) {
    const unknown = Object.keys(gateways).find((name) => !allChannels.some((one) => one === name))
    if (unknown !== undefined) refuseName(["gateways", unknown], allChannels)
  }
  if (!one.every((gateway) => gateway === undefined || isObject(gateway))) return refuse(expected)
}

/** Whether the vendor reports to `countersign.callbacks`. */
const needsCallbacks = ({ made }: Member): boolean => {
  if (isVendorFactory(made)) return made.needsCallbacks
  return !isEffect(made) && made.callback !== undefined
}

/** Throws a `ConfigurationError` if the options are invalid. */
export const planOf = (gateways: GatewayList, options: CountersignOptions): Plan => {
  const plan =
    "length" in gateways ? planOfList(gateways, options) : planOfChannels(gateways, options)
  const { callbacks, routing = {} } = options
  const waiting = callbacks === undefined ? plan.members.find(needsCallbacks) : undefined
  if (waiting !== undefined) {
    return refuse(
      `callbacks.publicUrl is missing: "${waiting.name}" would have no address for reports`,
    )
  }
  for (const name of ["retryFor", "pause", "accountPause", "rememberNotOnWhatsApp"] as const) {
    const { [name]: value } = routing
    if (value !== undefined) millisOf(`routing.${name}`, value, { min: 1 })
  }
  wholeNumber("routing.pauseAfter", routing.pauseAfter, { min: 1 })
  return plan
}
