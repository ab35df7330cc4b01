/**
 * Combines several gateways into one: each message goes to the first gateway that accepts it.
 *
 * The router tries the next gateway only if the answer proves that nothing was sent. After repeated failures,
 * it skips a gateway for a while. After a rejection of the account, it skips the gateway immediately. A
 * message that exceeds a vendor's rates waits or goes to the next gateway. All attempts end within a time
 * budget, with the outcome of the last gateway.
 */
import type { GatewayHealth } from "../domain/GatewayHealth.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Channel } from "../domain/Channel.ts"
import { Gateway, type GatewayMessage, gatewayProblem, type Inquiry } from "../ports/Gateway.ts"
import {
  errorText,
  type GatewayOutcome,
  isUnsent,
  readOutcome,
  unreadableOutcome,
  type Reachable,
  readReachable,
} from "../domain/GatewayOutcome.ts"
import { BoundedCache } from "../domain/BoundedCache.ts"
import { Pacer } from "./internal/pacer.ts"
import {
  immediateSlot,
  backOff,
  adapterFailed,
  capabilitiesOf,
  classify,
  circuitsOpen,
  withGateway,
  noRoute,
  rateExceeded,
  timedOut,
  lookupUnsupported,
} from "./internal/outcomes.ts"
import * as Masking from "../domain/Masking.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import * as DeliveryReport from "../domain/DeliveryReport.ts"
import * as Routing from "./Routing.ts"
import * as Telemetry from "../services/Telemetry.ts"

export type { GatewayHealth } from "../domain/GatewayHealth.ts"

/** A gateway and its rates. */
export interface Member {
  readonly gateway: Gateway["Service"]
  /** Maximum number of messages per second on this node. `undefined`: no maximum. */
  readonly perSecond?: number | undefined
  /**
   * Pause between two messages to one recipient on this node, in milliseconds. `undefined`: the pause in the
   * gateway's capabilities.
   */
  readonly pairMillis?: number | undefined
}

export interface Options {
  readonly members: readonly [Member, ...ReadonlyArray<Member>]
  /** The routes. `undefined`: each member carries all messages, in the order of the members. */
  readonly routes?: ReadonlyArray<Routing.Route> | undefined
  /** Milliseconds for which a message is retried after all gateways were tried. @defaultValue 10,000 */
  readonly budgetMillis?: number | undefined
  /** Consecutive failures that open a gateway's circuit. @defaultValue 5 */
  readonly failures?: number | undefined
  /** How long a circuit stays open. `undefined`: 5 seconds at first, doubled each time up to 5 minutes. */
  readonly openFor?: Duration.Input | undefined
  /** How long a gateway that has rejected the account is skipped. @defaultValue 5 minutes */
  readonly barredFor?: Duration.Input | undefined
  /** Milliseconds for which a number is remembered as not on WhatsApp. @defaultValue 86,400,000 (a day) */
  readonly unreachableMillis?: number | undefined
}

/** The gateway name of messages that no gateway has accepted yet. */
export const name = "router"

/** The health of the gateways behind the router. */
export class Router extends Context.Service<
  Router,
  {
    /** All gateways, in the order of the members. */
    readonly health: Effect.Effect<ReadonlyArray<GatewayHealth>>
    /** Health changes as they happen on this node. */
    readonly changes: Stream.Stream<GatewayHealth>
  }
>()("@countersign/core/routing/Router") {}

/** Provides the gateway over all others. Dies if the routes are invalid. */
export const layer = (
  options: Options,
): Layer.Layer<Gateway | Router, never, SecureRandom.SecureRandom> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

/** Maximum number of remembered recipients. */
const remembered = 20_000

const barred = (gateway: string): string => `${gateway} barred`

const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<
  Context.Context<Gateway | Router>,
  never,
  CircuitBreaker.CircuitBreakerStore | SecureRandom.SecureRandom | Scope.Scope
> {
  const members = new Map(options.members.map((one) => [one.gateway.name, one]))
  const names = [...members.keys()]
  const routes = options.routes ?? names.map((gateway, priority) => ({ gateway, priority }))
  const [problem] = [
    ...(names.length === options.members.length ? [] : ["two gateways have one name"]),
    ...Routing.problems(routes, names),
  ]
  if (problem !== undefined) return yield* Effect.die(new TypeError(`Routing: ${problem}`))
  const unusable = options.members.map(({ gateway }) => gatewayProblem(gateway)).find(Boolean)
  if (unusable !== undefined) return yield* Effect.die(new TypeError(unusable))

  const random = yield* SecureRandom.SecureRandom
  const budget = options.budgetMillis ?? 10_000
  const failing = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(options.failures ?? 5),
    openDuration:
      options.openFor ??
      Schedule.min([Schedule.exponential("5 seconds"), Schedule.spaced("5 minutes")]),
  })
  const barring = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(1),
    openDuration: options.barredFor ?? "5 minutes",
  })
  const paces = new Map(
    options.members.map(({ gateway, perSecond, pairMillis = gateway.capabilities.pairMillis }) => [
      gateway.name,
      new Pacer({ perSecond, pairMillis }, remembered),
    ]),
  )
  /** Message of the last failure of each gateway. */
  const reasons = new Map<string, string>()
  const unreachable = new BoundedCache<PhoneNumber, number>(remembered)
  const unreachableMillis = options.unreachableMillis ?? 24 * 60 * 60 * 1_000

  const draws = Effect.map(random.randomBytes(4 * names.length), (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let place = 0
    return () => view.getUint32(4 * (place++ % names.length)) / 2 ** 32
  })

  const planFor = (item: Routing.Item) =>
    Effect.map(draws, (draw) => Routing.plan(routes, item, draw))

  const note = (gateway: string, outcome: GatewayOutcome): void => {
    const health = Routing.healthOf(outcome)
    if (!("message" in outcome) || (health !== "ill" && health !== "barred")) return
    reasons.set(gateway, errorText(Masking.words(outcome.message)))
  }

  /** Calls one gateway, within its own time-out. */
  const ask = (member: Member, message: GatewayMessage): Effect.Effect<GatewayOutcome> => {
    const { capabilities, name, send } = member.gateway
    return Effect.suspend(() => send(message)).pipe(
      Effect.flatMap((answer) =>
        Telemetry.readOr(readOutcome(answer), unreadableOutcome, "outcome", name),
      ),
      Effect.timeoutOrElse({
        duration: Duration.millis(capabilities.timeoutMillis),
        orElse: () => Effect.succeed<GatewayOutcome>(timedOut),
      }),
      Effect.catchCause(() =>
        Effect.as(Effect.logError("A gateway adapter failed", { gateway: name }), adapterFailed),
      ),
      Effect.tap((outcome) => Effect.sync(() => note(name, outcome))),
    )
  }

  /** Calls the gateway unless its circuit is open; `undefined` if it is. */
  const guarded = (
    member: Member,
    message: GatewayMessage,
  ): Effect.Effect<GatewayOutcome | undefined> => {
    const { name } = member.gateway
    return ask(member, message).pipe(
      failing.execute({ key: name, classify: classify({ ill: "failure", well: "success" }) }),
      barring.execute({
        key: barred(name),
        classify: classify({ barred: "failure", well: "success" }),
      }),
      Effect.catchTag("CircuitBreakerError", () => Effect.undefined),
    )
  }

  const learn = (channel: Channel, to: PhoneNumber) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (channel === "whatsapp") unreachable.set(to, now + unreachableMillis)
    })

  const isOpen = (state: CircuitBreaker.State): boolean =>
    state._tag === "Open" && Duration.toMillis(state.retryAfter) > 0

  /** Whether the gateway would be skipped, so that a message need not wait for its rates. */
  const isLeftAlone = (name: string): Effect.Effect<boolean> =>
    Effect.orDie(
      Effect.zipWith(
        barring.state(barred(name)),
        failing.state(name),
        (bar, state) => isOpen(bar) || isOpen(state),
      ),
    )

  /**
   * Sends through one gateway if its rates allow it before `until`; `undefined` if the gateway is skipped.
   */
  const through = Effect.fnUntraced(function* (
    member: Member,
    message: GatewayMessage,
    until: number,
  ): Effect.fn.Return<GatewayOutcome | undefined> {
    const { capabilities, name } = member.gateway
    if (yield* isLeftAlone(name)) return undefined
    const now = yield* Clock.currentTimeMillis
    const pace = paces.get(name)
    const { isTaken, wait } = pace?.take(message.to, now, until - now) ?? immediateSlot
    if (!isTaken) return rateExceeded(name, wait)
    if (wait > 0) yield* Effect.sleep(Duration.millis(wait))
    const outcome = yield* guarded(member, message)
    if (outcome === undefined) return undefined
    yield* Telemetry.countAttempt(name, outcome._tag)
    if (outcome._tag === "Rejected" && outcome.unreachable === true) {
      yield* learn(message.channel, message.to)
    }
    return withGateway(outcome, name, capabilities)
  })

  const send = Effect.fnUntraced(function* (
    message: GatewayMessage,
  ): Effect.fn.Return<GatewayOutcome> {
    const started = yield* Clock.currentTimeMillis
    const until = started + budget
    const plan = yield* planFor(message)
    let left: ReadonlyArray<Turn> = plan.map((gateway) => ({ gateway, notBefore: started }))
    let last: GatewayOutcome = plan.length === 0 ? noRoute : circuitsOpen
    for (let round = 0; left.length > 0; round++) {
      const later: Array<Turn> = []
      for (const turn of left) {
        const member = members.get(turn.gateway)
        const now = yield* Clock.currentTimeMillis
        // Each gateway gets a first attempt; further attempts must begin in time.
        if (member === undefined) continue
        if (round > 0 && now >= until) return last
        if (now < turn.notBefore) {
          later.push(turn)
          continue
        }
        const outcome = yield* through(member, message, until)
        if (outcome === undefined) continue
        last = outcome
        const next = Routing.after(outcome)
        if (next === "end") return last
        const asked = outcome._tag === "Throttled" ? (outcome.retryAfterMillis ?? 0) : 0
        const notBefore = (yield* Clock.currentTimeMillis) + asked
        if (next === "later" && notBefore < until) later.push({ ...turn, notBefore })
      }
      const draw = yield* draws
      const now = yield* Clock.currentTimeMillis
      const soonest = Math.min(...later.map(({ notBefore }) => notBefore)) - now
      const pause = Math.max(soonest, backOff(round, draw()))
      if (later.length === 0 || now + pause >= until) return last
      yield* Effect.sleep(Duration.millis(pause))
      left = later
    }
    return last
  })

  const isReachable = Effect.fnUntraced(function* (
    channel: Channel,
    to: PhoneNumber,
  ): Effect.fn.Return<Reachable> {
    const known = channel === "whatsapp" ? unreachable.get(to) : undefined
    if (known !== undefined && (yield* Clock.currentTimeMillis) < known) return "no"
    for (const { gateway } of members.values()) {
      if (!gateway.capabilities.recipientCheck) continue
      const answer = yield* Effect.flatMap(gateway.isReachable(channel, to), (given) =>
        Telemetry.readOr(readReachable(given), "unknown" as const, "lookup", gateway.name),
      )
      if (answer !== "unknown") return answer
    }
    return "unknown"
  })

  /** Looks up a message at one gateway that may have accepted it. */
  const inquire = (
    { capabilities, lookup: ask, name }: Gateway["Service"],
    message: Inquiry,
  ): Effect.Effect<GatewayOutcome | DeliveryReport.Reported> =>
    Effect.flatMap(ask(message), (answer) =>
      Effect.map(
        Telemetry.readOr(DeliveryReport.readAnswer(answer), unreadableOutcome, "lookup", name),
        (found) => withGateway(found, name, capabilities),
      ),
    )

  /** Asks the gateway that accepted the message; if that is not recorded, all gateways that could have. */
  const lookup = Effect.fnUntraced(function* (
    message: Inquiry,
  ): Effect.fn.Return<GatewayOutcome | DeliveryReport.Reported> {
    if (message.taken !== null) {
      const gateway = members.get(message.taken.gateway)?.gateway
      if (gateway === undefined || !gateway.capabilities.lookup) return lookupUnsupported
      return yield* inquire(gateway, message)
    }
    const plan = yield* planFor(message)
    // The routes may have changed since the message was sent. Without a gateway to ask, it is not proven that
    // nothing was sent.
    let isUnseen = plan.length > 0
    for (const name of plan) {
      const gateway = members.get(name)?.gateway
      if (gateway === undefined) continue
      if (!gateway.capabilities.lookup) {
        isUnseen = false
        continue
      }
      const outcome = yield* inquire(gateway, message)
      if (outcome._tag === "Unknown") isUnseen = false
      else if (outcome._tag === "Reported" || !isUnsent(outcome)) return outcome
    }
    return isUnseen
      ? { _tag: "NotSent", message: "No gateway has ever seen it" }
      : lookupUnsupported
  })

  const stateOf = Effect.fnUntraced(function* (
    gateway: string,
  ): Effect.fn.Return<GatewayHealth, CircuitBreaker.CircuitBreakerError> {
    const bar = yield* barring.state(barred(gateway))
    const state = bar._tag === "Closed" ? yield* failing.state(gateway) : bar
    if (state._tag === "Closed") return { gateway, state: "available" }
    const reason = reasons.get(gateway)
    if (state._tag === "HalfOpen") return { gateway, state: "trying", reason }
    return { gateway, state: state === bar ? "barred" : "failing", reason }
  }, Effect.orDie)

  const changes = Stream.merge(failing.transitions, barring.transitions).pipe(
    Stream.mapEffect(({ key }) => stateOf(key.replace(/ barred$/, ""))),
  )
  yield* changes.pipe(
    Stream.runForEach((health) =>
      Effect.andThen(
        Effect.logWarning("A gateway's circuit has changed", health),
        Telemetry.countCircuit(health.gateway, health.state),
      ),
    ),
    Effect.forkScoped({ startImmediately: true }),
  )

  const gateways = options.members.map((one) => one.gateway)
  return Context.make(
    Gateway,
    Gateway.of({
      name,
      capabilities: capabilitiesOf(gateways, budget),
      send,
      isReachable,
      lookup,
      markUnreachable: learn,
      lookupNames: [
        name,
        ...gateways.flatMap((one) => (one.capabilities.lookup ? [one.name] : [])),
      ],
      reports: Stream.mergeAll(
        gateways.map(({ name, reports }) =>
          Stream.map(reports, (report) => ({ gateway: name, ...report })),
        ),
        { concurrency: "unbounded" },
      ),
      health: changes,
    }),
  ).pipe(Context.add(Router, Router.of({ health: Effect.forEach(names, stateOf), changes })))
})

/** A gateway, and the earliest time of its next attempt. */
interface Turn {
  readonly gateway: string
  readonly notBefore: number
}
