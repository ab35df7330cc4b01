/**
 * Combines several gateways into one: each message goes to the first gateway that accepts it.
 *
 * The router tries the next gateway only if the answer proves that nothing was sent. It skips a gateway for a
 * while after repeated failures, or one rejection of the account. A message that exceeds a vendor's rates
 * waits or goes to the next gateway. All attempts end within a time budget.
 */
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as EffectDuration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Channel } from "../domain/values/Channel.ts"
import type { GatewayHealth } from "../domain/messages/GatewayHealth.ts"
import * as Ports from "../ports/Gateway.ts"
import * as GatewayOutcome from "../domain/messages/GatewayOutcome.ts"
import * as GatewayCalls from "../delivery/internal/gatewayCalls.ts"
import { BoundedCache } from "../domain/values/BoundedCache.ts"
import { Moved } from "./internal/moved.ts"
import { Pacer } from "./internal/pacer.ts"
import * as Outcomes from "./internal/outcomes.ts"
import * as Duration from "../domain/values/Duration.ts"
import * as Masking from "../domain/values/Masking.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import type { Route } from "./Route.ts"
import * as Routing from "./Routing.ts"
import * as Telemetry from "../engine/Telemetry.ts"

export interface Member {
  readonly gateway: Ports.Gateway["Service"]
  /** Maximum number of messages per second on this node. `undefined`: no maximum. */
  readonly perSecond?: number | undefined
  /** Pause between two messages to one recipient on this node. `undefined`: the gateway's. */
  readonly recipientPause?: Duration.Input | undefined
}

export interface Options {
  readonly members: readonly [Member, ...ReadonlyArray<Member>]
  /** The routes. `undefined`: each member carries all messages, in the order of the members. */
  readonly routes?: ReadonlyArray<Route> | undefined
  /** How long a message is retried after all gateways were tried. @defaultValue `"10 seconds"` */
  readonly retryFor?: Duration.Input | undefined
  /** Consecutive failures after which a gateway is paused. @defaultValue 5 */
  readonly pauseAfter?: number | undefined
  /** How long a failing gateway is paused. @defaultValue 5 seconds at first, doubled each time up to 5 minutes */
  readonly pause?: Duration.Input | undefined
  /** How long a gateway that has rejected the account is paused. @defaultValue `"5 minutes"` */
  readonly accountPause?: Duration.Input | undefined
  /** How long a number is remembered as not on WhatsApp. @defaultValue `"1 day"` */
  readonly rememberNotOnWhatsApp?: Duration.Input | undefined
}

/** The gateway name of messages that no gateway has accepted yet. */
export const name = "router"

/** Provides the gateway over all others. Dies if the routes are invalid. */
export const layer = (
  options: Options,
): Layer.Layer<Ports.Gateway, never, SecureRandom.SecureRandom> =>
  Layer.effect(Ports.Gateway, make(options)).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

const maxRecipients = 20_000

/** The circuit of a gateway that rejects the account. */
const accountCircuit = (gateway: string): string => `${gateway} barred`

const lookupUnsupported = GatewayCalls.unknown("No gateway can tell")

const ratesOf = ({ gateway, perSecond, recipientPause }: Member) => ({
  perSecond,
  pairMillis:
    recipientPause === undefined
      ? gateway.capabilities.pairMillis
      : Duration.millisOfOption("recipientPause", recipientPause),
})

const make = Effect.fnUntraced(function* (options: Options) {
  const gateways = options.members.map(({ gateway }) => gateway)
  const names = gateways.map(({ name }) => name)
  const routes = options.routes ?? names.map((gateway, priority) => ({ gateway, priority }))
  const [problem] = [
    ...(new Set(names).size === names.length ? [] : ["Routing: two gateways have one name"]),
    ...Routing.problems(routes, names).map((text) => `Routing: ${text}`),
    ...gateways.flatMap((gateway) => Ports.gatewayProblem(gateway) ?? []),
  ]
  if (problem !== undefined) return yield* Effect.die(new TypeError(problem))

  const members = new Map(
    options.members.map((member) => [
      member.gateway.name,
      { gateway: member.gateway, pacer: new Pacer(ratesOf(member), maxRecipients) },
    ]),
  )
  const random = yield* SecureRandom.SecureRandom
  const budget = Duration.millisOfOption("retryFor", options.retryFor ?? "10 seconds")
  const together = Outcomes.capabilitiesOf(gateways, budget)
  const durationOf = (option: "accountPause" | "pause", given: Duration.Input) =>
    EffectDuration.millis(Duration.millisOfOption(option, given))
  const failures = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(options.pauseAfter ?? 5),
    openDuration:
      options.pause === undefined
        ? Schedule.min([Schedule.exponential("5 seconds"), Schedule.spaced("5 minutes")])
        : durationOf("pause", options.pause),
  })
  const rejections = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(1),
    openDuration: durationOf("accountPause", options.accountPause ?? "5 minutes"),
  })
  /** The closed circuits that have counted failures. */
  const failing = new Set<string>()
  const reasons = new Map<string, string>()
  const moved = new Moved()
  const unreachable = new BoundedCache<PhoneNumber, number>(maxRecipients)
  const unreachableMillis = Duration.millisOfOption(
    "rememberNotOnWhatsApp",
    options.rememberNotOnWhatsApp ?? "1 day",
  )

  const draws = Effect.map(random.randomBytes(4 * names.length), (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let place = 0
    return () => view.getUint32(4 * (place++ % names.length)) / 2 ** 32
  })

  const planFor = (item: Routing.Item & Pick<Ports.GatewayMessage, "gateway">) => {
    const only = item.gateway && members.get(item.gateway)
    if (item.gateway !== undefined) return Effect.succeed(only ? [only] : [])
    return Effect.map(members.size === 1 ? Effect.succeed(() => 0) : draws, (draw) =>
      Routing.plan(routes, item, draw).flatMap((gateway) => members.get(gateway) ?? []),
    )
  }

  const noteReason = (gateway: string, outcome: GatewayOutcome.GatewayOutcome): void => {
    const signal = Routing.signalOf(outcome)
    if (!("message" in outcome) || (signal !== "failure" && signal !== "rejection")) return
    reasons.set(gateway, GatewayOutcome.errorText(Masking.words(outcome.message)))
  }

  /**
   * Runs a call behind a circuit. A closed circuit without failures learns nothing from a success, and it costs as
   * much as all of the router besides.
   */
  const behind = (
    circuit: CircuitBreaker.CircuitBreaker,
    key: string,
    kind: "failure" | "rejection",
    call: Effect.Effect<GatewayOutcome.GatewayOutcome, CircuitBreaker.CircuitBreakerError>,
  ): typeof call => {
    const options = { key, classify: Outcomes.opensOn(kind) }
    const isClosed = Effect.map(circuit.state(key), ({ _tag }) => _tag === "Closed")
    return Effect.flatMap(isClosed, (closed) => {
      if (!closed) return circuit.execute(call, options)
      return Effect.tap(call, (outcome) => {
        const signal = Routing.signalOf(outcome)
        if (signal === kind) failing.add(key)
        else if (signal !== "success" || !failing.delete(key)) return Effect.void
        // A circuit that has opened meanwhile learns from its probes only.
        const count = Effect.when(circuit.execute(Effect.succeed(outcome), options), isClosed)
        // Other answers may open the circuit in between. It then counts no more of them, and the outcome stays.
        return Effect.ignore(count)
      })
    })
  }

  /** Calls the gateway unless one of its circuits is open; `undefined` if one is. */
  const callGuarded = (
    gateway: Ports.Gateway["Service"],
    message: Ports.GatewayMessage,
  ): Effect.Effect<GatewayOutcome.GatewayOutcome | undefined> => {
    const call = Effect.tap(GatewayCalls.send(gateway, message), (outcome) =>
      Effect.sync(() => noteReason(gateway.name, outcome)),
    )
    // A test has to reach a gateway that is paused as well.
    if (message.gateway !== undefined) return call
    const counted = behind(failures, gateway.name, "failure", call)
    return Effect.catchTag(
      behind(rejections, accountCircuit(gateway.name), "rejection", counted),
      "CircuitBreakerError",
      () => Effect.undefined,
    )
  }

  const markUnreachable = (channel: Channel, to: PhoneNumber) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (channel === "whatsapp") unreachable.set(to, now + unreachableMillis)
    })

  const isOpen = (state: CircuitBreaker.State): boolean =>
    state._tag === "Open" && EffectDuration.toMillis(state.retryAfter) > 0

  /** Whether the gateway would be skipped, so that a message need not wait for its rates. */
  const isSkipped = (name: string): Effect.Effect<boolean> =>
    Effect.orDie(
      Effect.zipWith(
        rejections.state(accountCircuit(name)),
        failures.state(name),
        (rejected, failed) => isOpen(rejected) || isOpen(failed),
      ),
    )

  /**
   * Sends through one gateway if its rates allow it before `until`; `undefined` if it is skipped. A process that stood
   * still may have lost the message to another node. So no call begins that could end after the time of the dispatch.
   */
  const sendThrough = Effect.fnUntraced(function* (
    { gateway, pacer }: PacedGateway,
    message: Ports.GatewayMessage,
    until: number,
    elapsed: () => number,
    attempts: Array<GatewayOutcome.Attempt>,
  ): Effect.fn.Return<GatewayOutcome.GatewayOutcome | undefined> {
    const { capabilities, name } = gateway
    const isTest = message.gateway !== undefined
    if (pacer.isPaced && !isTest && (yield* isSkipped(name))) return undefined
    const now = yield* Clock.currentTimeMillis
    const { isTaken, wait } = pacer.take(message.phoneNumber, now, until - now)
    if (!isTaken) return Outcomes.rateExceeded(name, wait)
    if (wait > 0) yield* Effect.sleep(EffectDuration.millis(wait))
    if (elapsed() + capabilities.timeoutMillis > together.timeoutMillis) return Outcomes.tooLate
    const begun = elapsed()
    const outcome = yield* callGuarded(gateway, message)
    if (outcome === undefined) return undefined
    attempts.push(GatewayOutcome.attemptOf(name, Math.round(elapsed() - begun), outcome))
    yield* Telemetry.increment(Telemetry.attempts, { gateway: name, outcome: outcome._tag })
    if (outcome._tag === "Rejected" && outcome.unreachable === true) {
      yield* markUnreachable(message.channel, message.phoneNumber)
    }
    // A repeat may go to another gateway, which does not know the token.
    const tokenMillis = members.size === 1 ? capabilities.tokenMillis : 0
    const accepted = Outcomes.withGateway(outcome, name, capabilities)
    return Ports.withRecovery(accepted, { ...capabilities, tokenMillis }, message)
  })

  const send: Ports.Gateway["Service"]["send"] = (message) => {
    const attempts: Array<GatewayOutcome.Attempt> = []
    return Effect.map(sendByPlan(message, attempts), (outcome) => ({ ...outcome, attempts }))
  }

  const sendByPlan = Effect.fnUntraced(function* (
    message: Ports.GatewayMessage,
    attempts: Array<GatewayOutcome.Attempt>,
  ): Effect.fn.Return<GatewayOutcome.GatewayOutcome> {
    const clock = yield* Clock.Clock
    const begun = clock.monotonicTimeNanosUnsafe()
    const elapsed = (): number => Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e6
    const started = clock.currentTimeMillisUnsafe()
    const until = started + budget
    const plan = yield* planFor(message)
    let waiting: ReadonlyArray<Turn> = plan.map((member) => ({ member, notBefore: started }))
    const skipped = new Set<string>()
    let last = Outcomes.skipped(plan[0]?.gateway.name)
    for (let round = 0; waiting.length > 0; round++) {
      const later: Array<Turn> = []
      for (const turn of waiting) {
        const now = yield* Clock.currentTimeMillis
        // Each gateway gets a first attempt; further attempts must begin in time.
        if (round > 0 && now >= until) return last
        if (now < turn.notBefore) {
          later.push(turn)
          continue
        }
        const outcome = yield* sendThrough(turn.member, message, until, elapsed, attempts)
        if (outcome === Outcomes.tooLate) return outcome
        const { name } = turn.member.gateway
        if (outcome === undefined) {
          skipped.add(name)
          continue
        }
        last = outcome
        if (GatewayOutcome.isAccepted(outcome)) moved.note(skipped, name)
        const next = Routing.nextStep(outcome)
        if (next === "end") return last
        const pause = outcome._tag === "Throttled" ? (outcome.retryAfterMillis ?? 0) : 0
        const notBefore = (yield* Clock.currentTimeMillis) + pause
        if (next === "later" && notBefore < until) later.push({ ...turn, notBefore })
      }
      const draw = yield* draws
      const now = yield* Clock.currentTimeMillis
      const soonest = Math.min(...later.map(({ notBefore }) => notBefore)) - now
      const pause = Math.max(soonest, Outcomes.backOff(round, draw()))
      if (later.length === 0 || now + pause >= until) return last
      yield* Effect.sleep(EffectDuration.millis(pause))
      waiting = later
    }
    return last
  })

  const isReachable: Ports.Gateway["Service"]["isReachable"] = Effect.fnUntraced(
    function* (channel, to) {
      const until = channel === "whatsapp" ? unreachable.get(to) : undefined
      if (until !== undefined && (yield* Clock.currentTimeMillis) < until) return "no"
      for (const gateway of gateways) {
        if (!gateway.capabilities.recipientCheck) continue
        const answer = yield* GatewayCalls.isReachable(gateway, channel, to)
        if (answer !== "unknown") return answer
      }
      return "unknown"
    },
  )

  const lookupAt = (gateway: Ports.Gateway["Service"], message: Ports.LookupRequest) =>
    Effect.map(GatewayCalls.lookup(gateway, message), (found) =>
      Outcomes.withGateway(found, gateway.name, gateway.capabilities),
    )

  /** Looks up a message at the gateway that accepted it, or else at all gateways that could have. */
  const lookup: Ports.Gateway["Service"]["lookup"] = Effect.fnUntraced(function* (message) {
    if (message.taken !== null) {
      const member = members.get(message.taken.gateway)
      return member?.gateway.capabilities.lookup === true
        ? yield* lookupAt(member.gateway, message)
        : lookupUnsupported
    }
    const plan = yield* planFor(message)
    // The routes may have changed since. Without a gateway to ask, it is not proven that nothing was sent.
    let isProven = plan.length > 0
    for (const { gateway } of plan) {
      const outcome = gateway.capabilities.lookup
        ? yield* lookupAt(gateway, message)
        : lookupUnsupported
      if (outcome._tag === "Unknown") isProven = false
      else if (outcome._tag === "Reported" || !GatewayOutcome.isUnsent(outcome)) return outcome
    }
    return isProven ? Outcomes.notSent("No gateway has ever seen it") : lookupUnsupported
  })

  const stateOf = Effect.fnUntraced(function* (
    gateway: string,
  ): Effect.fn.Return<
    GatewayHealth & Pick<Ports.GatewayState, "retryAt">,
    CircuitBreaker.CircuitBreakerError
  > {
    const rejected = yield* rejections.state(accountCircuit(gateway))
    const state = rejected._tag === "Closed" ? yield* failures.state(gateway) : rejected
    if (state._tag === "Closed") return { gateway, state: "available" }
    const reason = reasons.get(gateway)
    if (state._tag === "HalfOpen") return { gateway, state: "trying", reason }
    const retryAt =
      (yield* Clock.currentTimeMillis) + Math.round(EffectDuration.toMillis(state.retryAfter))
    return { gateway, state: state === rejected ? "barred" : "failing", reason, retryAt }
  }, Effect.orDie)

  const states = Effect.forEach(options.members, (member) => {
    const { gateway, perSecond } = member
    const { pairMillis } = ratesOf(member)
    const { capabilities, name } = gateway
    return Effect.map(stateOf(name), (health) => {
      const carried = Routing.channelsOf(routes, name)
      const abilities = { channels: carried, capabilities, perSecond, pairMillis }
      return { ...health, ...abilities, moved: moved.from(name) }
    })
  })

  const changes = Stream.merge(failures.transitions, rejections.transitions).pipe(
    Stream.mapEffect(({ key }) => stateOf(key.replace(/ barred$/, ""))),
    Stream.map(({ retryAt: _, ...health }): GatewayHealth => health),
  )
  yield* changes.pipe(
    Stream.runForEach((health) =>
      Effect.andThen(
        Effect.logWarning("A gateway's circuit has changed", health),
        Telemetry.increment(Telemetry.circuits, { gateway: health.gateway, state: health.state }),
      ),
    ),
    Effect.forkScoped({ startImmediately: true }),
  )

  return Ports.Gateway.of({
    name,
    capabilities: together,
    send,
    isReachable,
    lookup,
    markUnreachable,
    lookupNames: [name, ...gateways.flatMap((one) => (one.capabilities.lookup ? [one.name] : []))],
    reports: Stream.mergeAll(
      gateways.map(({ name, reports }) =>
        Stream.map(reports, (report) => ({ gateway: name, ...report })),
      ),
      { concurrency: "unbounded" },
    ),
    states,
    health: changes,
    meaningOf: (gateway, code) => members.get(gateway)?.gateway.meaningOf?.(gateway, code),
  })
})

interface PacedGateway {
  readonly gateway: Ports.Gateway["Service"]
  readonly pacer: Pacer
}

interface Turn {
  readonly member: PacedGateway
  readonly notBefore: number
}
