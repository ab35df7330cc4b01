/**
 * The codes of the naive model: requests, the messages that carry their codes, and the limits of a number.
 */
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import { Books } from "./books.ts"
import {
  asOfStrangers,
  boundedBy,
  type Budget,
  budgetAfter,
  type Counted,
  triesOf,
  unlimited,
} from "./budgets.ts"
import { crowded, isBlocked, isExempt, limited, logChannelOf } from "./guards.ts"
import {
  type DispatchOutcome,
  type Fact,
  isRefusal,
  type ModelMessage,
  type ModelRequest,
  newRequest,
  outcomeOf,
  type RequestState,
  stateOf,
  type Opened,
} from "./messageState.ts"
import { behaviourOf, gatewayTimeoutMillis, people, type Person, settleMillis } from "./scenario.ts"
import { deniedFor, findingsAt } from "./suspicion.ts"

/** How long a number remembers a client. */
const acquaintanceMillis = 90 * settleMillis

/** The longest time for which requests of a phone number are counted: 31 days. */
const longestWindowMillis = 31 * settleMillis

/** How long a WhatsApp message may take to arrive. */
const reportWithinMillis = 30_000

export class CodeBook extends Books {
  readonly requests: Array<ModelRequest> = []

  person(index: number): Person {
    const found = people[index]
    if (found === undefined) throw new Error(`The model has no person ${index}`)
    return found
  }

  isPerson(index: number): boolean {
    return index < people.length
  }

  state(request: ModelRequest): RequestState {
    return stateOf(request, this.now)
  }

  /** The newest request of a person that is pending. */
  newestPending(org: number, person: number): ModelRequest | undefined {
    return this.requests.findLast(
      (request) =>
        request.org === org && request.person === person && this.state(request) === "pending",
    )
  }

  protected isKnown(org: number, request: ModelRequest | undefined): request is ModelRequest {
    return request !== undefined && request.org === org && !request.isDropped
  }

  protected isServed(org: number, person: number): boolean {
    return this.isPerson(person) && !isBlocked(this.org(org).prefixLists, person)
  }

  protected isExempt(org: number): boolean {
    return isExempt(this.org(org).prefixLists)
  }

  /** Checks the codes of an organization for fraud before another is sent. */
  protected suspect(org: number, isExempt = false): string | undefined {
    const { watch } = this.config
    if (watch === null || isExempt) return undefined
    const { findings } = this.org(org)
    const codes = this.requests.filter((request) => request.org === org && !request.isExempt)
    this.org(org).findings = [...findings, ...findingsAt(codes, watch, this.now, findings)]
    return deniedFor(codes, watch, this.now)
  }

  /** A code that was not sent fails its request, unless the request has already ended. */
  private neverLeft(message: ModelMessage): void {
    const request = this.requests.find((one) => one.message === message && !one.isDropped)
    if (request === undefined || request.mayHaveArrived) return
    const state = this.state(request)
    if (state === "pending" || state === "expired") request.isUnsent = true
    if (state !== "pending") return
    request.hasFailed = true
    this.org(request.org).failedRequests += 1
  }

  protected write(
    org: number,
    draft: Pick<ModelMessage, "person" | "price" | "logChannel" | "text">,
  ): ModelMessage {
    const { messages } = this.org(org)
    const message: ModelMessage = {
      ...draft,
      org,
      sequence: messages.length + 1,
      createdAt: this.now,
      followAt: null,
      facts: [],
      isKnownToGateway: false,
      isErased: false,
    }
    messages.push(message)
    return message
  }

  /** Sends a message. After `followMillis` without a delivery, another one carries its code. */
  protected dispatch(
    message: ModelMessage,
    followMillis?: number,
    isRepeat = false,
  ): DispatchOutcome {
    const channel = message.logChannel === "whatsapp" ? "whatsapp" : "sms"
    const outcome = outcomeOf(behaviourOf(this.person(message.person), channel, this.config))
    if (outcome === "Unknown") this.now += gatewayTimeoutMillis
    // The node of the first dispatch may have sent the message.
    const isOpen = isRepeat && outcome === "NotSent"
    this.record(message, isOpen ? "Unknown" : outcome, followMillis)
    return outcome
  }

  protected record(message: ModelMessage, outcome: DispatchOutcome, followMillis?: number): void {
    message.facts.push({ tag: "dispatch", outcome })
    const { isFinal, status } = this.messageState(message)
    const isUnsent = isRefusal(outcome) && ["failed", "rejected"].includes(status)
    const request = this.requests.find(
      (one) => one.message === message || one.earlier.includes(message),
    )
    // A code whose request has gone before a node takes its message over raises no event.
    const isTold = message.text === undefined && request?.isDropped !== true
    if (isTold && !isUnsent) this.org(message.org).sentCodes += 1
    if (followMillis !== undefined && status !== "delivered") {
      message.followAt = isFinal ? message.createdAt : this.now + followMillis
    } else if (isRefusal(outcome)) this.neverLeft(message)
  }

  /** The gateway's answer at the deadline. It may have a message whose node stopped before writing the outcome. */
  protected foundAtDeadline(message: ModelMessage): Fact {
    const outcome = outcomeOf(behaviourOf(this.person(message.person), "sms", this.config))
    const isFound = this.config.lookup && message.isKnownToGateway
    const status = isFound ? knownOutcomes[outcome] : undefined
    return status === undefined ? { tag: "deadline" } : { tag: "report", status }
  }

  protected open(message: ModelMessage, opened: Pick<ModelRequest, Opened>): ModelRequest {
    const request = newRequest(message, opened)
    this.requests.push(request)
    return request
  }

  /** Counts a message with a code for a phone number. Returns the error if it exceeds the limit. */
  protected countSend(org: number, person: number, client?: number): string | undefined {
    this.endErasure(org, person)
    const { clientSends, erasures, requests } = this.org(org)
    const budget = this.budget(org, person, client, [clientSends, 3])
    const refused = limited(this.sendTimes(org, person), 10, this.now, budget)
    if (refused !== undefined) return refused
    erasures.delete(person)
    requests.push({ person, at: this.now })
    if (client !== undefined) clientSends.push({ client, at: this.now })
    return undefined
  }

  /** Forgets the limits that an erasure has set apart, if that was long ago. */
  private endErasure(org: number, person: number): void {
    const organization = this.org(org)
    const at = organization.erasures.get(person)
    if (at === undefined || this.now < at + longestWindowMillis) return
    organization.tries = organization.tries.filter((one) => one.person !== person)
  }

  /** Forgets the clients of a number: their wrong codes then count like the wrong codes of strangers. */
  protected forgetClients(org: number, person: number): void {
    const organization = this.org(org)
    const { acquaintances, erasures, tries } = organization
    const clients = acquaintances.flatMap((one) => (one.person === person ? [one.client] : []))
    organization.tries = [
      ...tries.filter((one) => one.person !== person),
      ...asOfStrangers(
        tries.filter((one) => one.person === person),
        new Set(clients),
      ),
    ]
    organization.acquaintances = acquaintances.filter((one) => one.person !== person)
    if (!erasures.has(person)) erasures.set(person, this.now)
  }

  private sendTimes(org: number, person: number): ReadonlyArray<number> {
    return this.org(org).requests.flatMap((one) => (one.person === person ? [one.at] : []))
  }

  private ofNumber(org: number, person: number): ReadonlyArray<ModelRequest> {
    return this.requests.filter((request) => request.org === org && request.person === person)
  }

  /** Counts a request for a phone number. Returns the error if it exceeds the limit. */
  protected admit(org: number, person: number, client?: number): string | undefined {
    const refused = this.countSend(org, person, client)
    if (refused !== undefined) return refused
    if (this.displaced(org, person, client) !== undefined) return undefined
    const ofNumber = this.ofNumber(org, person)
    const pendingAt = (at: number): number =>
      ofNumber.filter((request) => stateOf(request, at) === "pending").length
    return crowded(pendingAt, this.sendTimes(org, person), this.now)
  }

  /** The stranger's request whose place a client takes that has verified the number. */
  protected displaced(org: number, person: number, client?: number): ModelRequest | undefined {
    const pending = this.ofNumber(org, person).filter((one) => this.state(one) === "pending")
    if (pending.length < 5 || !this.knows(org, person, client)) return undefined
    return pending.find(({ isKnown }) => !isKnown)
  }

  protected knows(org: number, person: number, client: number | undefined): boolean {
    return this.org(org).acquaintances.some(
      (one) =>
        one.person === person && one.client === client && this.now - one.at < acquaintanceMillis,
    )
  }

  /** The remaining budget of a client for a number, and over all numbers. */
  protected budget(
    org: number,
    person: number | undefined,
    client: number | undefined,
    [events, max]: readonly [ReadonlyArray<Counted>, number],
  ): Budget {
    const tries = this.org(org).tries.filter((one) => one.person === person)
    const isKnown = person !== undefined && this.knows(org, person, client)
    const budget =
      person === undefined ? unlimited : budgetAfter(triesOf(tries, client, isKnown), this.config)
    if (client === undefined || !this.config.limitsClients) return budget
    const times = events.filter((one) => one.client === client).map(({ at }) => at)
    return boundedBy(budget, times, max)
  }

  /** Adds a message with a code, or returns why it cannot be paid. */
  protected carry(
    { org, person }: Pick<ModelMessage, "org" | "person">,
    logChannel: ModelMessage["logChannel"],
  ): ModelMessage | string {
    const price = logChannel === "whatsapp" ? 0 : 5_000
    const unpaid = this.unpayable(org, price)
    return unpaid ?? this.write(org, { person, price, logChannel, text: undefined })
  }

  /** Lets another message carry the code of a request. */
  protected attach(request: ModelRequest, next: ModelMessage, channel: Channel): void {
    const lost = ["failed", "rejected", "undelivered"]
    const { status } = this.messageState(request.message)
    // The engine cannot know the status of a message that the log no longer has.
    const isDropped = request.message.sequence <= this.org(request.org).dropped
    request.mayHaveArrived ||= isDropped || !lost.includes(status)
    request.earlier.push(request.message)
    request.message.followAt = null
    request.message = next
    request.channel = channel
    request.sentAt = this.now
  }

  /**
   * Sends a message with the code of a request, and an SMS after it if the gateway refuses it. Returns the channel,
   * or why no message was sent.
   */
  protected deliver(request: ModelRequest, seconds: number): string {
    const { channel, message } = request
    const isFollowed = this.config.fallback && channel === "whatsapp"
    const millis = isFollowed ? Math.min(reportWithinMillis, seconds * 500) : undefined
    if (!isRefusal(this.dispatch(message, millis))) return `sent by ${channel}`
    return isFollowed ? this.followOne(message) : "SendingFailed failed"
  }

  /** Sends the code of a message by SMS, if it is still needed. Returns its result. */
  protected followOne(message: ModelMessage): string {
    message.followAt = null
    const request = this.requests.find((one) => one.message === message && !one.isDropped)
    if (request === undefined || this.state(request) !== "pending") return "not needed"
    const bySms = logChannelOf(message.org, "sms", request.brand) ?? "non-mask"
    const isServed = this.isServed(message.org, request.person)
    const next = isServed ? this.carry(message, bySms) : "blocked"
    if (typeof next === "string") {
      if (["failed", "rejected"].includes(this.messageState(message).status)) {
        this.neverLeft(message)
      }
      return next
    }
    this.attach(request, next, "sms")
    return isRefusal(this.dispatch(next)) ? "SendingFailed failed" : "sent by sms"
  }

  /** The messages that another one has to follow now. */
  protected followsDue(): ReadonlyArray<ModelMessage> {
    return this.allMessages.filter(({ followAt }) => followAt !== null && followAt <= this.now)
  }

  /**
   * Sends the SMS that are due. `order` are the messages that the engine has followed. If several are due at once, the
   * money may suffice for some only, and the engine decides their order. `scarce` are the organizations where another
   * SMS could not be paid before the refunds of this round.
   */
  protected followAll(order: ReadonlyArray<ModelMessage>, scarce: ReadonlySet<number>): void {
    const due = this.followsDue()
    if (!order.every((message) => due.includes(message))) {
      throw new Error("The engine has followed a message that is not due")
    }
    for (const message of order) this.followOne(message)
    for (const message of due) {
      if (order.includes(message)) continue
      if (scarce.has(message.org)) message.followAt = null
      else this.followOne(message)
    }
  }

  /** The organizations that could not pay another SMS after those that follow these messages. */
  protected scarceAfter(order: ReadonlyArray<ModelMessage>): ReadonlySet<number> {
    const isScarce = (org: number) => {
      const count = order.filter((message) => message.org === org).length
      return this.unpayable(org, 5_000 * (count + 1)) !== undefined
    }
    return new Set([...this.organizations.keys()].filter(isScarce))
  }
}

/** The outcomes that the gateway does not leave open. */
const knownOutcomes: Partial<Record<DispatchOutcome, ReportStatus>> = {
  Delivered: "delivered",
  Rejected: "rejected",
  NotSent: "failed",
}
