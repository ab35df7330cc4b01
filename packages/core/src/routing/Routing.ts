/**
 * Which gateway carries a message, which comes after it, and when one may be asked at all.
 */
import type { Channel } from "../domain/Channel.ts"
import type { GatewayMessage } from "../ports/Gateway.ts"
import type { GatewayOutcome } from "../domain/GatewayOutcome.ts"
import * as PhoneNumber from "../domain/PhoneNumber.ts"

/** Lets a gateway carry some messages. What is left out does not matter. */
export interface Route {
  /** The gateway's name. */
  readonly gateway: string
  readonly channels?: ReadonlyArray<Channel> | undefined
  /** Calling codes and more of the number: `880`, `88017`. One of them has to be its beginning. */
  readonly prefixes?: ReadonlyArray<string> | undefined
  /** What a recipient sees the message come from. */
  readonly senders?: ReadonlyArray<string> | undefined
  readonly organizations?: ReadonlyArray<string> | undefined
  readonly purposes?: ReadonlyArray<GatewayMessage["purpose"]> | undefined
  /** Lower ones are asked first; 0 when left out. */
  readonly priority?: number | undefined
  /** The share among those of one priority that it is asked first; 1 when left out, 0 only as a last resort. */
  readonly weight?: number | undefined
}

/** What a route looks at. */
export type Item = Pick<GatewayMessage, "channel" | "purpose" | "ref" | "sender" | "to">

const allows = <A>(list: ReadonlyArray<A> | undefined, value: A): boolean =>
  list === undefined || list.includes(value)

/** Whether a route is for a message. */
export const fits = (route: Route, item: Item): boolean => {
  const number = PhoneNumber.digits(item.to)
  return (
    allows(route.channels, item.channel) &&
    allows(route.senders, item.sender) &&
    allows<string>(route.organizations, item.ref.organization) &&
    allows(route.purposes, item.purpose) &&
    (route.prefixes === undefined || route.prefixes.some((prefix) => number.startsWith(prefix)))
  )
}

/** Those of one priority in an order that is drawn by their weights. `draw` is in [0, 1), for each place. */
const drawn = (routes: ReadonlyArray<Route>, draw: () => number): ReadonlyArray<Route> => {
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

/**
 * The gateways that may carry a message, each once, in the order in which they are to be asked.
 * `draw` gives numbers in [0, 1) for the weights.
 */
export const plan = (
  routes: ReadonlyArray<Route>,
  item: Item,
  draw: () => number,
): ReadonlyArray<string> => {
  const byPriority = Map.groupBy(
    routes.filter((route) => fits(route, item)),
    ({ priority = 0 }) => priority,
  )
  const order = [...byPriority]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([, group]) => drawn(group, draw))
  return [...new Set(order.map(({ gateway }) => gateway))]
}

/** What follows an outcome. */
export type Next =
  /** It is the message's. */
  | "end"
  /** Another gateway may do better, and this one will not. */
  | "next gateway"
  /** Another gateway may do better, and so may this one after a while. */
  | "later"

/**
 * Whether a message may be handed over once more. Only what proves that nothing was sent lets that happen;
 * a recipient or a text that one gateway refuses is refused for good.
 */
export const after = (outcome: GatewayOutcome): Next => {
  switch (outcome._tag) {
    case "Accepted":
    case "Delivered":
    case "Unknown":
      return "end"
    case "Rejected":
      return outcome.reason === "sender" || outcome.reason === "account" ? "next gateway" : "end"
    case "Throttled":
    case "NotSent":
      return "later"
  }
}

/** What an outcome says of the gateway's health. */
export type Health = "well" | "ill" | "barred" | "no matter"

export const healthOf = (outcome: GatewayOutcome): Health => {
  switch (outcome._tag) {
    case "Accepted":
    case "Delivered":
      return "well"
    case "Rejected":
      // It has answered, and as documented.
      return outcome.reason === "account" ? "barred" : "well"
    case "Throttled":
      return "no matter"
    case "NotSent":
    case "Unknown":
      return "ill"
  }
}

/** What is wrong with a set of routes, a sentence for each that is. */
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
