/** A vendor that several nodes reach over a network that fails, and that reports in any order. */
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { DeliveryReport, Reported } from "@countersign/core/domain/messages/DeliveryReport"
import type { GatewayOutcome } from "@countersign/core/domain/messages/GatewayOutcome"
import type { ReportStatus } from "@countersign/core/domain/messages/ReportStatus"
import type { MessageId, MessageRef } from "@countersign/core/domain/values/Ids"
import type {
  Capabilities,
  Gateway,
  GatewayMessage,
  LookupRequest,
} from "@countersign/core/ports/Gateway"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { SimulatedNode } from "../../SimulatedWorld.ts"
import { longStop, type Stage, stop } from "./stage.ts"

/** The ways in which a vendor can treat one message. */
export const behaviours = [
  "accepts",
  "delivers",
  "accepts, and its answer is lost",
  "accepts, and never answers",
  "accepts, and its answer cannot be read",
  "accepts, and the adapter breaks",
  "accepts, and the node dies",
  "accepts, and the node stops for a while",
  "loses the message",
  "rejects the recipient",
  "rejects the account",
  "throttles",
  "refuses the connection",
] as const

export type Behaviour = (typeof behaviours)[number]

/** A message that a vendor has accepted. */
interface Accepted {
  readonly token: MessageId
  readonly ref: MessageRef
  readonly gatewayId: string
  status: ReportStatus
}

/** A vendor's connection to one node, over which its reports come. */
export interface Connection {
  readonly node: SimulatedNode
  readonly reports: Queue.Queue<DeliveryReport>
}

export interface Hooks {
  /** A message has reached the phone. */
  readonly arrived: (vendor: SimulatedVendor, message: GatewayMessage) => void
  readonly kill: (node: SimulatedNode) => void
  readonly isOnWhatsApp: (phoneNumber: string) => boolean
}

const finalStatuses = ["delivered", "undelivered", "failed", "rejected"] as const

/** Delays of reports: some overtake the answer, and some come after the deadline. */
const delays = [0, 0, 40, 400, 3_000, 20_000, 130_000] as const

export class SimulatedVendor {
  readonly name: string
  readonly capabilities: Capabilities
  readonly #stage: Stage
  readonly #hooks: Hooks
  readonly #accepted = new Map<MessageId, Accepted>()
  readonly #connections: Array<Connection> = []
  /** The nodes that have received a report on a message. */
  readonly received: Array<{ readonly node: SimulatedNode; readonly token: MessageId }> = []
  /** The behaviours for the next messages. */
  readonly #plan: Array<Behaviour> = []
  #cutUntil = 0
  #isHealthy = false

  constructor(stage: Stage, name: string, capabilities: Capabilities, hooks: Hooks) {
    this.#stage = stage
    this.name = name
    this.capabilities = capabilities
    this.#hooks = hooks
  }

  /** Lets it treat the next messages so. */
  plan(behaviour: Behaviour, count: number): void {
    for (let index = 0; index < count; index++) this.#plan.push(behaviour)
  }

  /** Refuses connections until the time is over. */
  cut(millis: number): void {
    this.#cutUntil = this.#stage.world.now + millis
  }

  /** Ends all faults. */
  heal(): void {
    this.#plan.length = 0
    this.#cutUntil = 0
    this.#isHealthy = true
  }

  /** The adapter of a node. */
  connect(connection: Connection): Gateway["Service"] {
    this.#connections.push(connection)
    const { node, reports } = connection
    return {
      name: this.name,
      capabilities: this.capabilities,
      send: (message) =>
        Effect.callback<GatewayOutcome>((resume) => {
          const { world } = this.#stage
          const answer = (effect: Effect.Effect<GatewayOutcome>) =>
            void world.after(this.#stage.latency(), () => node.soon(() => resume(effect)))
          world.after(this.#stage.latency(), () => this.#take(node, message, answer))
        }),
      isReachable: (channel, phoneNumber) =>
        this.#ask(node, () => this.#reachable(channel, phoneNumber)),
      lookup: (message) => this.#ask(node, () => this.#find(message)),
      reports: Stream.fromQueue(reports),
    }
  }

  /** Reports on a message, through any node that lives. */
  report(report: DeliveryReport, millis: number, token?: MessageId): void {
    const { world } = this.#stage
    world.after(millis, () => {
      const [first, ...rest] = this.#connections.filter(({ node }) => node.state !== "dead")
      if (first === undefined) return
      const { node, reports } = world.pick([first, ...rest])
      node.soon(() => {
        Queue.offerUnsafe(reports, report)
        if (token !== undefined) this.received.push({ node, token })
      })
    })
  }

  /** A report on an accepted message: by the reference of the engine, or by the vendor's id. */
  reportOn(token: MessageId, status: ReportStatus, millis: number): boolean {
    const accepted = this.#accepted.get(token)
    if (accepted === undefined) return false
    const { gatewayId, ref } = accepted
    const byReference = this.capabilities.references === true && this.#stage.world.chance(0.7)
    const of: DeliveryReport["of"] = byReference
      ? { _tag: "Message", ...ref, token }
      : { _tag: "GatewayId", gateway: this.name, gatewayId }
    this.report({ of, status, detail: null, evidence: { id: gatewayId } }, millis, token)
    return true
  }

  #isCut(): boolean {
    return this.#stage.world.now < this.#cutUntil
  }

  #draw(): Behaviour {
    const { world } = this.#stage
    if (this.#isHealthy || world.chance(0.75)) return "accepts"
    return world.pick(behaviours)
  }

  #take(
    node: SimulatedNode,
    message: GatewayMessage,
    answer: (effect: Effect.Effect<GatewayOutcome>) => void,
  ): void {
    const { ref, token } = message
    const isKnown = this.capabilities.tokenMillis > 0 && this.#accepted.has(token)
    const drawn = this.#isCut() ? "refuses the connection" : (this.#plan.shift() ?? this.#draw())
    // A vendor that honours tokens answers a repeat as it has answered the first call.
    const behaviour = isKnown && drawn.startsWith("rejects") ? "accepts" : drawn
    this.#stage.meet(`gateway: it ${behaviour}`)
    this.#stage.tell(`${this.name} ${behaviour}: ${ref.organization} ${ref.sequence}`)
    const say = (outcome: GatewayOutcome) => answer(Effect.succeed(outcome))
    switch (behaviour) {
      case "loses the message":
        return undefined
      case "refuses the connection":
        return say({ _tag: "NotSent", message: "No connection" })
      case "rejects the recipient":
        return say({ _tag: "Rejected", reason: "recipient", message: "Barred" })
      case "rejects the account":
        return say({ _tag: "Rejected", reason: "account", message: "No funds" })
      case "throttles":
        return say({ _tag: "Throttled", retryAfterMillis: 500, message: "Too many" })
      default: {
        const { gatewayId } = this.#accept(message, behaviour === "delivers")
        if (behaviour === "accepts, and never answers") return undefined
        if (behaviour === "accepts, and the node dies") return this.#hooks.kill(node)
        if (behaviour === "accepts, and the node stops for a while") {
          stop(this.#stage, node, longStop)
        }
        if (behaviour === "accepts, and the adapter breaks") {
          return answer(Effect.die(new Error("The adapter broke")))
        }
        if (behaviour === "accepts, and its answer is lost") {
          return say({ _tag: "Unknown", message: "The connection was reset" })
        }
        const isReadable = behaviour !== "accepts, and its answer cannot be read"
        const _tag = behaviour === "delivers" ? "Delivered" : "Accepted"
        return say({ _tag, gatewayId: isReadable ? gatewayId : "" })
      }
    }
  }

  /** Honours the token, if it does that. */
  #accept(message: GatewayMessage, isDelivered: boolean): Accepted {
    const { ref, token } = message
    const known = this.#accepted.get(token)
    if (known !== undefined && this.capabilities.tokenMillis > 0) return known
    const gatewayId = `${this.name}-${this.#accepted.size + 1}`
    const accepted: Accepted = { token, ref, gatewayId, status: "accepted" }
    this.#accepted.set(token, accepted)
    this.#hooks.arrived(this, message)
    if (isDelivered) accepted.status = "delivered"
    else if (this.capabilities.reports !== "none") this.#reportLater(accepted)
    return accepted
  }

  #reportLater(accepted: Accepted): void {
    const { world } = this.#stage
    const { token } = accepted
    if (world.chance(0.12)) return
    const delay = world.pick(delays)
    if (world.chance(0.15)) this.reportOn(token, "accepted", world.pick(delays))
    const status = world.chance(0.7) ? "delivered" : world.pick(finalStatuses)
    world.after(delay, () => {
      accepted.status = status
    })
    this.reportOn(token, status, delay)
    if (world.chance(0.2)) this.reportOn(token, status, delay + world.pick(delays))
    if (world.chance(0.06)) {
      this.reportOn(token, world.pick(finalStatuses), delay + world.pick(delays))
    }
  }

  #ask<A>(node: SimulatedNode, find: () => A): Effect.Effect<A> {
    return Effect.callback<A>((resume) => {
      const { world } = this.#stage
      world.after(this.#stage.latency(), () => {
        const found = find()
        world.after(this.#stage.latency(), () => node.soon(() => resume(Effect.succeed(found))))
      })
    })
  }

  #reachable(channel: Channel, phoneNumber: string) {
    if (this.#isCut()) return "unknown" as const
    return channel === "sms" || this.#hooks.isOnWhatsApp(phoneNumber) ? "yes" : "no"
  }

  #find({ taken, token }: LookupRequest): GatewayOutcome | Reported {
    if (this.#isCut()) return { _tag: "Unknown", message: "No connection" }
    const accepted = this.#accepted.get(token)
    const found = accepted === undefined ? "nothing" : accepted.status
    this.#stage.meet(`gateway: a look-up finds ${found}`)
    if (accepted === undefined) return { _tag: "NotSent", message: "Never seen" }
    const { gatewayId, status } = accepted
    return taken === null && status === "accepted"
      ? { _tag: "Accepted", gatewayId }
      : { _tag: "Reported", status, detail: null }
  }
}
