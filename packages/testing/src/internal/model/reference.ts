/**
 * A naive model of the service, written from its documents. It stores only the events, and computes every
 * answer from all of them.
 *
 * It shares no rule with core, on purpose. If the two disagree, one of them contradicts the documents.
 */
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import { attempts, expiryOf, type ModelMessage, type ModelRequest } from "./messageState.ts"
import { CheckBook } from "./checkBook.ts"
import { type CallEffect, keptMillis, type ModelCall, type ModelCaller } from "./keyedCalls.ts"
import { isAllowed, limited, logChannelOf, problemsOf } from "./guards.ts"
import { eraseQueued, pruneQueued } from "./queuedSends.ts"
import { type Action, leaseMillis, settleMillis } from "./scenario.ts"

export class Reference extends CheckBook {
  /** The effects of calls with idempotency keys that may be retried. */
  readonly effects: Array<CallEffect> = []

  private denied({ address, key, org }: ModelCaller): string | undefined {
    if (this.isRefused(org, key)) return "Unauthorized"
    return isAllowed(this.org(org).allowList, address) ? undefined : "AddressNotAllowed"
  }

  /** Answers a call with an idempotency key: after its effect, for 24 hours, with the first answer. */
  keyed(call: ModelCall, isOther = false): string {
    const denied = this.denied(call)
    if (denied !== undefined) return denied
    if (call.effect !== undefined && this.now < call.effect.at + keptMillis) {
      return call.effect.isOther === isOther ? this.again(call.effect, call) : "IdempotencyMismatch"
    }
    const { messages } = this.org(call.org)
    const sequence = messages.length + 1
    const answer = call.answer(isOther)
    const message = messages[sequence - 1]
    if (message !== undefined || answer.startsWith("consumed ")) {
      call.effect = { at: message?.createdAt ?? this.now, answer, isOther, message }
      this.effects.push(call.effect)
    }
    return answer
  }

  /** The first answer, as far as retention has left what it is about. */
  private again({ answer, message }: CallEffect, { org, request }: ModelCall): string {
    if (message === undefined) return request?.isDropped === true ? "RequestNotFound" : answer
    const isThere = message.sequence > this.org(org).dropped && !message.isErased
    return isThere ? answer : "SendingFailed unknown"
  }

  /** Cancels what is pending, and erases what is over. Returns how many messages stay. */
  erase({ org, person }: Action<"erase">): string {
    for (const request of this.requests) {
      if (request.org !== org || request.person !== person || request.isDropped) continue
      if (this.state(request) === "pending") {
        request.hasFailed = true
        this.org(org).cancelledRequests += 1
      }
      request.isDropped = true
      request.isForgotten = true
    }
    const messages = this.log(org).filter((one) => one.person === person && !one.isErased)
    const over = messages.filter((one) => this.messageState(one).isFinal && one.followAt === null)
    for (const message of over) message.isErased = true
    this.forgetClients(org, person)
    this.org(org).erased += 1
    const queued = eraseQueued(this, org, person)
    return `erased ${over.length + queued}, ${messages.length - over.length} left`
  }

  /** Counts a message of an organization. Returns the error if it exceeds the limit. */
  private count(org: number): string | undefined {
    const { counted } = this.org(org)
    const refused = limited(counted, this.config.messagesPerMinute ?? Infinity, this.now)
    if (refused === undefined) counted.push(this.now)
    return refused
  }

  verify(action: Action<"verify">): string {
    const { brand, channel, org } = action
    const codeLength = action.codeLength ?? 6
    const expirySeconds = action.expirySeconds ?? 300
    if (this.isRefused(org, action.key)) return "Unauthorized"
    const logChannel = logChannelOf(org, channel, brand)
    const problems = [
      ...problemsOf({ codeLength, expirySeconds }),
      ...(this.isServed(org, action.person) ? [] : ["phoneNumber"]),
      ...(logChannel === undefined ? ["sender"] : []),
    ]
    if (logChannel === undefined || problems.length > 0)
      return `InvalidRequest ${problems.join(",")}`
    const { client, person } = action
    const refused = this.admit(org, person, client)
    if (refused !== undefined) return refused
    const isMissed = channel === "whatsapp" && !this.person(action.person).isOnWhatsApp
    if (isMissed && !this.config.fallback) return "NotOnWhatsApp"
    const isKnown = this.knows(org, person, client)
    const isExempt = this.isExempt(org)
    const suspected = this.suspect(org, isExempt)
    if (suspected !== undefined) return suspected
    const bySms = logChannelOf(org, "sms", brand) ?? "non-mask"
    const first = this.carry(action, isMissed ? bySms : logChannel)
    if (typeof first === "string") return first
    // Nothing refuses the request any more.
    const displaced = this.displaced(org, person, client)
    if (displaced !== undefined) this.endByCancel(displaced)
    const request = this.open(first, {
      channel: isMissed ? "sms" : channel,
      brand,
      purpose: action.purpose,
      expirySeconds,
      isExempt,
      isKnown,
    })
    const result = this.deliver(request, expirySeconds)
    return result.startsWith("sent") ? `${result}, expires in ${expirySeconds}` : result
  }

  resend(action: Action<"resend">, org: number, request: ModelRequest | undefined): string {
    if (this.isRefused(org, action.key)) return "Unauthorized"
    if (!this.isKnown(org, request)) return "RequestNotFound"
    const ended = {
      verified: "AlreadyVerified",
      failed: "AttemptsExhausted",
      expired: "RequestExpired",
    }
    const state = this.state(request)
    if (state !== "pending") return ended[state]
    if (!this.isServed(org, request.person)) return "InvalidRequest phoneNumber"
    const seconds = Math.max(1, Math.floor((expiryOf(request) - this.now) / 1_000))
    const channel = action.channel ?? request.channel
    const logChannel =
      logChannelOf(org, channel, request.brand) ?? logChannelOf(org, channel, undefined)
    if (logChannel === undefined) return "InvalidRequest channel"
    const refused = this.admitResend(org, request, action.client)
    if (refused !== undefined) return refused
    // A number that is checked first is counted first, and its cooldown begins.
    if (channel === "whatsapp") request.sentAt = this.now
    const isMissed = channel === "whatsapp" && !this.person(request.person).isOnWhatsApp
    if (isMissed && !this.config.fallback) return "NotOnWhatsApp"
    const suspected = this.suspect(org, request.isExempt || this.isExempt(org))
    if (suspected !== undefined) return suspected
    const bySms = logChannelOf(org, "sms", request.brand) ?? "non-mask"
    const next = this.carry(request, isMissed ? bySms : logChannel)
    if (typeof next === "string") return next
    this.attach(request, next, isMissed ? "sms" : channel)
    request.resends += 1
    const left = this.config.resends - request.resends
    const result = this.deliver(request, seconds)
    return result.startsWith("sent")
      ? `${result}, expires in ${seconds}, ${left} resends left`
      : result
  }

  /** Counts that a code is sent again. Returns why it is not. */
  private admitResend(
    org: number,
    { person, resends, sentAt }: ModelRequest,
    client: number | undefined,
  ): string | undefined {
    if (resends >= this.config.resends) return "ResendsExhausted"
    const wait = sentAt + this.config.cooldownMillis - this.now
    if (wait > 0) return `RateLimited ${Math.ceil(wait / 1_000)}`
    return this.countSend(org, person, client)
  }

  cancel(action: Action<"cancel">, org: number, request: ModelRequest | undefined): string {
    if (this.isRefused(org, action.key)) return "Unauthorized"
    if (!this.isKnown(org, request)) return "RequestNotFound"
    const state = this.state(request)
    if (state === "verified") return "AlreadyVerified"
    if (state === "expired") return "RequestExpired"
    if (state === "pending") this.endByCancel(request)
    return "cancelled"
  }

  private endByCancel(request: ModelRequest): void {
    request.hasFailed = true
    this.org(request.org).cancelledRequests += 1
  }

  status(org: number, request: ModelRequest | undefined): string {
    if (!this.isKnown(org, request)) return "RequestNotFound"
    const { consumedAt, earlier, message, purpose, verifiedAt } = request
    const isPending = this.state(request) === "pending"
    const resends = isPending ? this.config.resends - request.resends : 0
    const resendAt = request.sentAt + this.config.cooldownMillis
    const canResend = resends > 0 && resendAt < expiryOf(request)
    const logged = [...earlier, message].filter(({ sequence }) => sequence > this.org(org).dropped)
    return [
      `${this.state(request)} by ${request.channel}, ${attempts - request.wrongCodes} left, verified at ${verifiedAt ?? null}`,
      `consumed at ${consumedAt ?? null}, for ${purpose ?? null}, ${resends} resends`,
      `at ${canResend ? Math.max(this.now, resendAt) : null}`,
      ...logged.map((one) => `${one.sequence} ${this.messageState(one).status}`),
    ].join("\n")
  }

  message(action: Action<"message">): string {
    const { brand, channel, org, person, text } = action
    const denied = this.denied(action)
    if (denied !== undefined) return denied
    const problems = [
      ...(this.isServed(org, person) ? [] : ["phoneNumber"]),
      ...(text.length >= 1 && text.length <= 1_600 ? [] : ["text"]),
    ]
    if (problems.length > 0) return `InvalidRequest ${problems.join(",")}`
    const logChannel = logChannelOf(org, channel, brand)
    if (logChannel === undefined) return "SenderUnusable"
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
    const { isFinal } = this.messageState(message)
    message.facts.push({ tag: "report", status })
    if (message.followAt === null) return "applied"
    if (!isFinal && status === "delivered") message.followAt = null
    else if (!isFinal && status !== "accepted") message.followAt = message.createdAt
    if (this.followsDue().includes(message)) this.followOne(message)
    return "applied"
  }

  /** A node crashes between the charge and the written outcome. Returns `held`, or `answered`, after the charge. */
  crash({ carriesCode, isAnswered, org, person }: Action<"crash">): string {
    const refused = carriesCode ? this.admit(org, person) : this.count(org)
    if (refused !== undefined) return refused
    const price = 5_000
    const unpaid = (carriesCode ? this.suspect(org) : undefined) ?? this.unpayable(org, price)
    if (unpaid !== undefined) return unpaid
    const text = carriesCode ? undefined : "crashed"
    const message = this.write(org, { person, price, logChannel: "non-mask", text })
    message.isKnownToGateway = isAnswered
    const opened = { channel: "sms", brand: undefined, purpose: undefined, isKnown: false } as const
    if (carriesCode) this.open(message, { ...opened, isExempt: false, expirySeconds: 300 })
    return isAnswered ? "answered" : "held"
  }

  /** Settlement: messages of crashed nodes, messages without a final report, and SMS that are due. */
  settle(followed: ReadonlyArray<ModelMessage>): void {
    const scarce = this.scarceAfter(followed)
    for (const message of this.allMessages) {
      const wasDispatched = message.facts.some(({ tag }) => tag === "dispatch")
      const isDue = this.now >= message.createdAt + leaseMillis
      if (!wasDispatched && isDue && this.messageState(message).status === "pending") {
        this.takeOver(message)
      }
      const { isFinal, status } = this.messageState(message)
      if (!isFinal && status !== "pending" && this.now >= message.createdAt + settleMillis) {
        message.facts.push(this.foundAtDeadline(message))
      }
    }
    this.followAll(followed, scarce)
  }

  /** A node finishes the dispatch of a node that has crashed. */
  private takeOver(message: ModelMessage): void {
    const isNeeded = this.requests.some(
      (request) => request.message === message && this.state(request) === "pending",
    )
    if (this.config.lookup) this.record(message, message.isKnownToGateway ? "Accepted" : "NotSent")
    else if (this.config.honoursToken && (message.text !== undefined || isNeeded)) {
      this.dispatch(message, undefined, true)
    } else this.record(message, "Unknown")
  }

  prune({ keepMillis, kind, org }: Action<"prune">): void {
    const organization = this.org(org)
    const before = this.now - keepMillis
    if (kind === "messages") {
      const first = this.log(org).find(
        (message) =>
          message.createdAt >= before ||
          !this.messageState(message).isFinal ||
          message.followAt !== null ||
          this.isCodePending(message),
      )
      organization.dropped = first === undefined ? organization.messages.length : first.sequence - 1
      this.eraseCodes(org, organization.dropped)
    }
    if (kind === "verifications") {
      organization.requestsFrom = Math.max(organization.requestsFrom, before)
      for (const request of this.requests) {
        if (
          request.org === org &&
          request.createdAt < before &&
          this.state(request) !== "pending"
        ) {
          request.isDropped = true
          request.isForgotten = false
        }
      }
    }
    if (kind === "codes") this.eraseCodes(org)
    if (kind === "outbox") pruneQueued(this, org, before)
    if (kind === "findings") {
      // Removed findings still count: a reason is found once per window.
      const { findings, findingsDropped } = organization
      const old = findings.filter(({ at }) => at < before).length
      organization.findingsDropped = Math.max(findingsDropped, old)
    }
    // Pruned recipients do not affect any answer.
  }

  private isCodePending(message: ModelMessage): boolean {
    return this.requests.some(
      (request) =>
        [...request.earlier, request.message].includes(message) &&
        this.state(request) === "pending",
    )
  }

  /** Erases the codes of expired requests that have a message up to a sequence. */
  private eraseCodes(org: number, to = Infinity): void {
    for (const request of this.requests) {
      if (request.org !== org || this.state(request) !== "expired") continue
      const messages = [...request.earlier, request.message]
      request.isErased ||= messages.some(({ sequence }) => sequence <= to)
    }
  }
}
