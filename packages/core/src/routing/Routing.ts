/** The order in which gateways carry a message, and whether a gateway may be tried at all. */
import { type Channel, channels } from "../domain/values/Channel.ts"
import type { GatewayMessage } from "../ports/Gateway.ts"
import type { GatewayOutcome } from "../domain/messages/GatewayOutcome.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import type { Route } from "./Route.ts"

/** The properties of a message that a route can match. */
export type Item = Pick<GatewayMessage, "channel" | "purpose" | "ref" | "sender" | "phoneNumber">

const allows = <A>(list: ReadonlyArray<A> | undefined, value: A): boolean =>
  list === undefined || list.includes(value)

export const matches = (route: Route, item: Item): boolean => {
  const number = PhoneNumber.digits(item.phoneNumber)
  return (
    allows(route.channels, item.channel) &&
    allows(route.senders, item.sender) &&
    allows<string>(route.organizations, item.ref.organization) &&
    allows(route.purposes, item.purpose) &&
    (route.prefixes === undefined || route.prefixes.some((prefix) => number.startsWith(prefix)))
  )
}

/** The channels of the messages that a gateway may carry. */
export const channelsOf = (routes: ReadonlyArray<Route>, name: string): ReadonlyArray<Channel> =>
  channels.filter((channel) =>
    routes.some(({ gateway, ...route }) => gateway === name && allows(route.channels, channel)),
  )

/** Routes of one priority in a random order by their weights. */
const shuffle = (routes: ReadonlyArray<Route>, draw: () => number): ReadonlyArray<Route> => {
  const left = [...routes]
  const order: Array<Route> = []
  while (left.length > 0) {
    const total = left.reduce((sum, { weight = 1 }) => sum + weight, 0)
    let mark = draw() * total
    const index = left.findIndex(({ weight = 1 }) => (mark -= weight) < 0)
    order.push(...left.splice(Math.max(index, 0), 1))
  }
  return order
}

/** The gateways that may carry a message, in the order of attempts. `draw` returns numbers in [0, 1). */
export const plan = (
  routes: ReadonlyArray<Route>,
  item: Item,
  draw: () => number,
): ReadonlyArray<string> => {
  const byPriority = Map.groupBy(
    routes.filter((route) => matches(route, item)),
    ({ priority = 0 }) => priority,
  )
  const order = [...byPriority]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([, group]) => shuffle(group, draw))
  return [...new Set(order.map(({ gateway }) => gateway))]
}

export type Next =
  /** The outcome is final for the message. */
  | "end"
  /** Another gateway may succeed; this gateway will not. */
  | "next gateway"
  /** Another gateway may succeed, and so may this one later. */
  | "later"

/** The evidence of an outcome on the gateway's health. `rejection`: the gateway has rejected the account. */
export type Signal = "success" | "failure" | "rejection" | "none"

/** The consequences of outcomes that are not rejections. */
const consequences: {
  readonly [T in Exclude<GatewayOutcome["_tag"], "Rejected">]: {
    readonly next: Next
    readonly signal: Signal
  }
} = {
  Accepted: { next: "end", signal: "success" },
  Delivered: { next: "end", signal: "success" },
  Unknown: { next: "end", signal: "failure" },
  Throttled: { next: "later", signal: "none" },
  NotSent: { next: "later", signal: "failure" },
}

/**
 * The next step after an outcome. A message is sent again only if the outcome proves that nothing was sent. After a
 * rejection of the recipient or the text, no gateway is tried.
 */
export const nextStep = (outcome: GatewayOutcome): Next => {
  if (outcome._tag !== "Rejected") return consequences[outcome._tag].next
  return outcome.reason === "sender" || outcome.reason === "account" ? "next gateway" : "end"
}

export const signalOf = (outcome: GatewayOutcome): Signal => {
  if (outcome._tag !== "Rejected") return consequences[outcome._tag].signal
  // Any other rejection is an answer as documented.
  return outcome.reason === "account" ? "rejection" : "success"
}

/** The problems of a set of routes, one sentence each. */
export const problems = (
  routes: ReadonlyArray<Route>,
  gateways: ReadonlyArray<string>,
): ReadonlyArray<string> => [
  ...routes.flatMap(({ gateway, prefixes = [], priority = 0, weight = 1 }, index) => {
    const at = `route ${index + 1}`
    return [
      ...(gateways.includes(gateway) ? [] : [`${at}: there is no gateway "${gateway}"`]),
      ...(Number.isFinite(priority) ? [] : [`${at}: its priority must be a number`]),
      ...(Number.isFinite(weight) && weight >= 0
        ? []
        : [`${at}: its weight must be a number from 0 on`]),
      ...prefixes.flatMap((prefix) =>
        /^[1-9]\d{0,14}$/.test(prefix)
          ? []
          : [`${at}: "${prefix}" is no beginning of a number without its plus`],
      ),
    ]
  }),
  ...gateways.flatMap((gateway) =>
    routes.some((route) => route.gateway === gateway) ? [] : [`"${gateway}" has no route`],
  ),
]
