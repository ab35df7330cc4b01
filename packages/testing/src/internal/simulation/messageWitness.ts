/**
 * Watches what is committed about messages, in its order. The final state of a message has to follow from these facts,
 * and no fact may claim what the vendors know to be wrong.
 */
import type { Command, CommandResult } from "@countersign/core/decide/Command"
import { isUnsent } from "@countersign/core/domain/messages/GatewayOutcome"
import type { Message } from "@countersign/core/domain/messages/Message"
import type { MessageId, MessageRef } from "@countersign/core/domain/values/Ids"
import { type Fact, messageState } from "../model/messageState.ts"
import type { SimulatedStore } from "./simulatedStore.ts"
import type { Stage } from "./stage.ts"

const keyOf = ({ organization, sequence }: MessageRef): string => `${organization} ${sequence}`

export class MessageWitness {
  readonly #stage: Stage
  readonly #store: SimulatedStore
  /** The messages that have reached a phone. */
  readonly #arrived: ReadonlyMap<MessageId, number>
  readonly #facts = new Map<string, Array<Fact>>()
  /** The messages that another one follows, with the one that does. */
  readonly #followers = new Map<string, MessageId>()
  /** Until when a message belongs to the node that has taken it over. */
  readonly #leases = new Map<string, number>()
  readonly #lookedUp = new Set<string>()
  readonly #isTimeKnown: boolean
  #before: Message | undefined

  constructor(
    stage: Stage,
    store: SimulatedStore,
    arrived: ReadonlyMap<MessageId, number>,
    isTimeKnown: boolean,
  ) {
    this.#stage = stage
    this.#store = store
    this.#arrived = arrived
    this.#isTimeKnown = isTimeKnown
  }

  before(command: Command): void {
    this.#before = this.#messageOf(command)
  }

  after(command: Command, result: CommandResult): void {
    const before = this.#before
    const after = this.#messageOf(command)
    if (after === undefined) return
    const fact = factOf(command, result)
    if (command._tag === "ReclaimMessage" && result._tag === "Reclaimed") {
      return this.#takeOver(after, command.leaseMillis)
    }
    if (command._tag === "BeginLookup" && result._tag === "LookupBegun") {
      return this.#lookUp(after)
    }
    if (fact === undefined) return this.#follow(command, result, after)
    const name = keyOf(after)
    this.#facts.set(name, [...(this.#facts.get(name) ?? []), fact])
    if (before !== undefined && before.dueAt !== null) {
      this.#stage.meet(`message ${before.status}, ${causeOf(command)} -> ${after.status}`)
    }
    const token = "token" in command ? (command.token ?? "") : ""
    if (!after.id.endsWith(token)) {
      this.#stage.fail(`I20: message ${name} is changed under the token of another one`)
    }
    if (after.status === "delivered" && !this.#arrived.has(after.id)) {
      this.#stage.fail(`I5: message ${name} counts as delivered, and has not arrived`)
    }
    if (command._tag !== "RecordDispatch") return
    if (command.dispatchNumber !== after.dispatchNumber) {
      this.#stage.fail(`I7: message ${name} has the outcome of an older dispatch`)
    }
    // A lease that ends early is taken over while its node sends.
    const isUnsure = this.#store.hasJumpedAhead
    if (isUnsent(command.outcome) && this.#arrived.has(after.id) && !isUnsure) {
      this.#stage.fail(`I5: message ${name} counts as ${command.outcome._tag}, and has arrived`)
    }
  }

  /** The final state of each message has to follow from its facts (I5, I20). */
  check(messages: ReadonlyArray<Message>): void {
    for (const message of messages) {
      const facts = this.#facts.get(keyOf(message)) ?? []
      const state = messageState({ facts, price: message.charge }, { reports: true })
      const ended = state.isRefunded ? "released" : "captured"
      const hold = message.charge === 0 ? "none" : state.isFinal ? ended : "open"
      const expected = [state.status, state.isFinal, hold, state.anomalies, state.heard].join(", ")
      const { anomalies, dueAt, hold: kept, reports, status } = message
      const actual = [status, dueAt === null, kept, anomalies, reports].join(", ")
      if (actual !== expected) {
        this.#stage.fail(`I20: message ${keyOf(message)} is ${actual}; its facts say ${expected}`)
      }
    }
  }

  #messageOf(command: Command): Message | undefined {
    if (!("messageSequence" in command)) return undefined
    const { messageSequence: sequence, organization } = command
    return this.#store.now((store) => store.message({ organization, sequence }))?.message
  }

  /** A message is looked up once at its deadline. */
  #lookUp(message: Message): void {
    const name = keyOf(message)
    if (this.#lookedUp.has(name)) this.#stage.fail(`I22: message ${name} is looked up again`)
    this.#lookedUp.add(name)
  }

  /** No node takes a message over while it belongs to another. */
  #takeOver(message: Message, leaseMillis: number): void {
    const name = keyOf(message)
    const { now } = this.#stage.world
    if (this.#isTimeKnown && now < (this.#leases.get(name) ?? 0)) {
      this.#stage.fail(`I7: message ${name} is taken over twice within one lease`)
    }
    this.#leases.set(name, now + leaseMillis)
  }

  /** At most one message follows another. */
  #follow(command: Command, { _tag }: CommandResult, message: Message): void {
    if (command._tag !== "FollowVerification" || _tag !== "Followed") return
    const name = keyOf(message)
    const known = this.#followers.get(name)
    this.#followers.set(name, command.draft.id)
    if (known !== undefined && known !== command.draft.id) {
      this.#stage.fail(`I7: two messages follow message ${name}`)
    }
  }
}

/** The fact that a commit states about the message. */
const factOf = (command: Command, { _tag }: CommandResult): Fact | undefined => {
  if (command._tag === "RecordDispatch" && _tag === "Recorded") {
    const { hasReports, outcome } = command
    if (outcome._tag === "Throttled") return { tag: "dispatch", outcome: "NotSent" }
    const isDelivered = outcome._tag === "Accepted" && !hasReports
    return { tag: "dispatch", outcome: isDelivered ? "Delivered" : outcome._tag }
  }
  if (command._tag === "ApplyReport" && _tag === "Applied") {
    return { tag: "report", status: command.status }
  }
  return command._tag === "CloseMessage" && _tag === "Closed" ? { tag: "deadline" } : undefined
}

const causeOf = (command: Command): string => {
  if (command._tag === "RecordDispatch") return command.outcome._tag
  return command._tag === "ApplyReport" ? command.status : "deadline"
}
