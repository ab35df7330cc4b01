/**
 * A naive model of the service, written from its documents. It stores only the events, and computes every
 * answer from all of them.
 *
 * It shares no rule with core, on purpose. If the two disagree, one of them contradicts the documents.
 */
import type { Channel } from "@countersign/core/domain/Channel"
import type { ReportStatus } from "@countersign/core/domain/GatewayOutcome"
import {
  attempts,
  type DispatchOutcome,
  isRefusal,
  type ModelMessage,
  type ModelRequest,
  outcomeOf,
  type RequestState,
  stateOf,
} from "./messageState.ts"
import { Books } from "./books.ts"
import { boundedBy, type Budget, budgetAfter, type Counted, triesOf, unlimited } from "./budgets.ts"
import { crowded, isAllowed, limited, logChannelOf, problemsOf } from "./guards.ts"
import { deniedFor, findingsAt } from "./suspicion.ts"
import {
  type Action,
  behaviourOf,
  gatewayTimeoutMillis,
  leaseMillis,
  people,
  type Person,
  settleMillis,
} from "./scenario.ts"

/** How long a number remembers a client. */
const acquaintanceMillis = 90 * settleMillis

type Of<T extends Action["tag"]> = Extract<Action, { readonly tag: T }>

export class Reference extends Books {
  readonly requests: Array<ModelRequest> = []

  person(index: number): Person {
    const found = people[index]
    if (found === undefined) throw new Error(`The model has no person ${index}`)
    return found
  }

  /** Checks the codes of an organization for fraud before another is sent. */
  private suspect(org: number): string | undefined {
    const { watch } = this.config
    if (watch === null) return undefined
    const { findings } = this.org(org)
    const codes = this.requests.filter((request) => request.org === org)
    this.org(org).findings = [...findings, ...findingsAt(codes, watch, this.now, findings)]
    return deniedFor(codes, watch, this.now)
  }

  /** A code that was not sent fails its request, unless the request has already ended. */
  private neverLeft(message: ModelMessage): void {
    for (const request of this.requests) {
      if (request.message !== message || request.isDropped) continue
      if (request.isDisplaced || request.wrongCodes >= attempts) continue
      if (request.verifiedAt === undefined) request.isUnsent = true
    }
  }

  isRefused(org: number, key: number | undefined): boolean {
    const { isSuspended, keysRevoked } = this.org(org)
    return key !== undefined && (isSuspended || keysRevoked[key % keysRevoked.length] === true)
  }

  private isPending(request: ModelRequest): boolean {
    return this.state(request) === "pending"
  }

  state(request: ModelRequest): RequestState {
    return stateOf(request, this.config, this.now)
  }

  private write(
    org: number,
    draft: Pick<ModelMessage, "person" | "price" | "logChannel" | "text">,
  ): ModelMessage {
    const { messages } = this.org(org)
    const message: ModelMessage = {
      ...draft,
      org,
      sequence: messages.length + 1,
      createdAt: this.now,
      facts: [],
    }
    messages.push(message)
    return message
  }

  private dispatch(message: ModelMessage, followed = false): DispatchOutcome {
    const channel = message.logChannel === "whatsapp" ? "whatsapp" : "sms"
    const behaviour = behaviourOf(this.person(message.person), channel, this.config)
    const outcome = outcomeOf(behaviour)
    if (outcome === "Unknown") this.now += gatewayTimeoutMillis
    if (isRefusal(outcome) && !followed) this.neverLeft(message)
    message.facts.push({ tag: "dispatch", outcome, at: this.now })
    return outcome
  }

  private open(
    message: ModelMessage,
    channel: Channel,
    expirySeconds: number,
    hasCode: boolean,
    isKnown = false,
  ): void {
    const { createdAt, org, person } = message
    this.requests.push({
      org,
      person,
      channel,
      createdAt,
      expirySeconds,
      message,
      hasCode,
      wrongCodes: 0,
      verifiedAt: undefined,
      isDropped: false,
      isUnsent: false,
      isKnown,
      isDisplaced: false,
    })
  }

  /** Counts a request for a phone number. Returns the error if it exceeds the limit. */
  private admit(org: number, person: number, client?: number): string | undefined {
    const { clientSends, requests } = this.org(org)
    const times = requests.flatMap((request) => (request.person === person ? [request.at] : []))
    const refused = limited(times, 10, this.now, this.budget(org, person, client, [clientSends, 3]))
    if (refused !== undefined) return refused
    requests.push({ person, at: this.now })
    if (client !== undefined) clientSends.push({ client, at: this.now })
    if (this.displaced(org, person, client) !== undefined) return undefined
    const ofNumber = this.requests.filter(
      (request) => request.org === org && request.person === person,
    )
    const pendingAt = (at: number): number =>
      ofNumber.filter((request) => stateOf(request, this.config, at) === "pending").length
    return crowded(pendingAt, [...times, this.now], this.now)
  }

  /** The stranger's request whose place a client takes that has verified the number. */
  private displaced(org: number, person: number, client?: number): ModelRequest | undefined {
    const pending = this.requests.filter(
      (one) => one.org === org && one.person === person && this.isPending(one),
    )
    if (pending.length < 5 || !this.knows(org, person, client)) return undefined
    return pending.find(({ isKnown }) => !isKnown)
  }

  private knows(org: number, person: number, client: number | undefined): boolean {
    return this.org(org).acquaintances.some(
      (one) =>
        one.person === person && one.client === client && this.now - one.at < acquaintanceMillis,
    )
  }

  /** What a client may still do for a number, and over all numbers. */
  private budget(
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

  resetGuesses({ org, person }: Of<"resetGuesses">): void {
    const organization = this.org(org)
    organization.tries = organization.tries.filter((one) => one.person !== person)
  }

  /** Counts a message of an organization. Returns the error if it exceeds the limit. */
  private count(org: number): string | undefined {
    const { counted } = this.org(org)
    const refused = limited(counted, this.config.messagesPerMinute ?? Infinity, this.now)
    if (refused === undefined) counted.push(this.now)
    return refused
  }

  verify(action: Of<"verify">): string {
    const { brand, channel, org } = action
    const codeLength = action.codeLength ?? 6
    const expirySeconds = action.expirySeconds ?? 300
    if (this.isRefused(org, action.key)) return "Unauthorized"
    const logChannel = logChannelOf(org, channel, brand)
    const problems = [
      ...(logChannel === undefined ? ["brand"] : []),
      ...problemsOf({ codeLength, expirySeconds }),
      ...(action.person < people.length ? [] : ["phoneNumber"]),
    ]
    if (logChannel === undefined || problems.length > 0)
      return `InvalidRequest ${problems.join(",")}`
    const { client, person } = action
    const refused = this.admit(org, person, client)
    if (refused !== undefined) return refused
    const isMissed = channel === "whatsapp" && !this.person(action.person).isOnWhatsApp
    if (isMissed && !this.config.fallback) return "NotOnWhatsApp"
    const displaced = this.displaced(org, person, client)
    if (displaced !== undefined) displaced.isDisplaced = true
    const isKnown = this.knows(org, person, client)
    const suspected = this.suspect(org)
    if (suspected !== undefined) return suspected
    const inTime = `expires in ${expirySeconds}`
    const bySms = logChannelOf(org, "sms", brand) ?? "non-mask"
    const first = this.carry(action, isMissed ? bySms : logChannel)
    if (typeof first === "string") return first
    this.open(first, isMissed ? "sms" : channel, expirySeconds, true, isKnown)
    const isFollowed = this.config.fallback && channel === "whatsapp" && !isMissed
    const outcome = this.dispatch(first, isFollowed)
    if (!isRefusal(outcome)) return `sent by ${isMissed ? "sms" : channel}, ${inTime}`
    if (!isFollowed) return "SendingFailed failed"
    const second = this.carry(action, bySms)
    if (typeof second === "string") {
      this.neverLeft(first)
      return second
    }
    this.follow(first, second)
    return isRefusal(this.dispatch(second)) ? "SendingFailed failed" : `sent by sms, ${inTime}`
  }

  /** Adds a message with a code, or returns why it cannot be paid. */
  private carry(
    { org, person }: Of<"verify">,
    logChannel: ModelMessage["logChannel"],
  ): ModelMessage | string {
    const price = logChannel === "whatsapp" ? 0 : 5_000
    const unpaid = this.unpayable(org, price)
    return unpaid ?? this.write(org, { person, price, logChannel, text: undefined })
  }

  private follow(first: ModelMessage, second: ModelMessage): void {
    for (const request of this.requests) {
      if (request.message !== first) continue
      request.message = second
      request.channel = "sms"
    }
  }

  check(action: Of<"check">, org: number, request: ModelRequest | undefined): string {
    const organization = this.org(org)
    if (this.isRefused(org, action.key)) return "Unauthorized"
    if (action.code === "empty" || action.code === "long") return "InvalidRequest code"
    const isKnown = this.isKnown(org, request)
    const { client } = action
    const { clientChecks } = organization
    const person = isKnown ? request.person : undefined
    const budget = this.budget(org, person, client, [clientChecks, 4])
    const refused = limited(organization.checked, 20, this.now, budget)
    if (refused !== undefined) return refused
    organization.checked.push(this.now)
    if (client !== undefined) clientChecks.push({ client, at: this.now })
    if (!isKnown) return "RequestNotFound"
    switch (this.state(request)) {
      case "verified":
        return `verified at ${request.verifiedAt}`
      case "failed":
        return "AttemptsExhausted"
      case "expired":
        return "RequestExpired"
      case "pending": {
        const isRight = ["right", "spaced", "bangla"].includes(action.code) && request.hasCode
        const { person } = request
        const tried = { person, at: this.now, isRight, client }
        const isKnown = this.knows(org, person, client)
        organization.tries = [...organization.tries, { ...tried, isKnown }]
        if (isRight) {
          if (client !== undefined) {
            organization.acquaintances.push({ person, client, at: this.now })
          }
          request.verifiedAt = this.now
          return `verified at ${this.now}`
        }
        request.wrongCodes += 1
        return request.wrongCodes === attempts
          ? "AttemptsExhausted"
          : `WrongCode ${attempts - request.wrongCodes}`
      }
    }
  }

  private isKnown(org: number, request: ModelRequest | undefined): request is ModelRequest {
    return request !== undefined && request.org === org && !request.isDropped
  }

  status(org: number, request: ModelRequest | undefined): string {
    if (!this.isKnown(org, request)) return "RequestNotFound"
    return `${this.state(request)} by ${request.channel}, ${attempts - request.wrongCodes} left, verified at ${request.verifiedAt ?? null}`
  }

  message(action: Of<"message">): string {
    const { address, brand, channel, org, person, text } = action
    if (this.isRefused(org, action.key)) return "Unauthorized"
    if (!isAllowed(this.org(org).allowList, address)) return "AddressNotAllowed"
    const problems = [
      ...(person < people.length ? [] : ["phoneNumber"]),
      ...(text.length >= 1 && text.length <= 1_600 ? [] : ["text"]),
    ]
    if (problems.length > 0) return `InvalidRequest ${problems.join(",")}`
    const logChannel = logChannelOf(org, channel, brand)
    if (logChannel === undefined) return "BrandUnusable"
    const refused = this.count(org)
    if (refused !== undefined) return refused
    if (channel === "whatsapp" && !this.person(person).isOnWhatsApp) return "NotOnWhatsApp"
    const price = channel === "sms" ? 5_000 : 0
    const unpaid = this.unpayable(org, price)
    if (unpaid !== undefined) return unpaid
    const outcome = this.dispatch(this.write(org, { person, price, logChannel, text }))
    if (outcome === "Accepted" || outcome === "Delivered")
      return `sent by ${channel}, ${this.balance(org)} left`
    return `SendingFailed ${outcome === "Unknown" ? "unknown" : "failed"}`
  }

  report(message: ModelMessage, status: ReportStatus): string {
    if (message.sequence <= this.org(message.org).dropped) return "unknown message"
    message.facts.push({ tag: "report", status })
    return "applied"
  }

  /** A node crashes between the charge and the gateway. Returns `held` if the charge was made. */
  crash({ carriesCode, org, person }: Of<"crash">): string {
    const refused = carriesCode ? this.admit(org, person) : this.count(org)
    if (refused !== undefined) return refused
    const price = 5_000
    const unpaid = (carriesCode ? this.suspect(org) : undefined) ?? this.unpayable(org, price)
    if (unpaid !== undefined) return unpaid
    const text = carriesCode ? undefined : "crashed"
    const message = this.write(org, { person, price, logChannel: "non-mask", text })
    if (carriesCode) this.open(message, "sms", 300, false)
    return "held"
  }

  /** One round of settlement: messages of crashed nodes, and messages without a final report. */
  settle(): void {
    for (const message of this.allMessages) {
      const { isFinal, status } = this.messageState(message)
      if (isFinal) continue
      const wasDispatched = message.facts.some(({ tag }) => tag === "dispatch")
      if (!wasDispatched && status === "pending") {
        if (this.now < message.createdAt + leaseMillis) continue
        if (this.config.lookup) {
          this.neverLeft(message)
          message.facts.push({ tag: "dispatch", outcome: "NotSent", at: this.now })
        } else if (this.config.honoursToken && message.text !== undefined) this.dispatch(message)
        else message.facts.push({ tag: "dispatch", outcome: "Unknown", at: this.now })
      } else if (this.now >= message.createdAt + settleMillis) {
        message.facts.push({ tag: "deadline" })
      }
    }
  }

  prune({ keepMillis, kind, org }: Of<"prune">): void {
    const organization = this.org(org)
    const before = this.now - keepMillis
    if (kind === "messages") {
      const first = this.log(org).find(
        (message) => message.createdAt >= before || !this.messageState(message).isFinal,
      )
      organization.dropped = first === undefined ? organization.messages.length : first.sequence - 1
    }
    if (kind === "verifications") {
      organization.requestsFrom = Math.max(organization.requestsFrom, before)
      for (const request of this.requests) {
        if (request.org === org && request.createdAt < before && !this.isPending(request)) {
          request.isDropped = true
        }
      }
    }
    if (kind === "findings") {
      // Removed findings still count: a reason is found once per window.
      const { findings, findingsDropped } = organization
      const old = findings.filter(({ at }) => at < before).length
      organization.findingsDropped = Math.max(findingsDropped, old)
    }
    // Pruned recipients do not affect any answer.
  }
}
