/**
 * Watches the commits of all nodes in their order. Checks each result against the rules of the documents: the limits,
 * the attempts, the pending requests and the states. Shares no rule with the engine.
 */
import type { Command, CommandResult } from "@countersign/core/decide/Command"
import { isUnsent } from "@countersign/core/domain/messages/GatewayOutcome"
import type { Limits } from "@countersign/core/domain/limits/Limits"
import type { Limit, WindowLimit } from "@countersign/core/domain/limits/SlidingWindow"
import type { MessageId, OrganizationId, RequestId } from "@countersign/core/domain/values/Ids"
import type { NewQueuedSend, QueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import type { CommitResult } from "@countersign/core/ports/Store"
import type { SimulatedNode } from "../../SimulatedWorld.ts"
import { AlertWitness } from "./alertWitness.ts"
import { CounterWitness } from "./counterWitness.ts"
import { MessageWitness } from "./messageWitness.ts"
import { OutboxWitness } from "./outboxWitness.ts"
import type { SimulatedStore, Witness } from "./simulatedStore.ts"
import type { Stage } from "./stage.ts"

/** A request, as the witness has seen it. */
interface Request {
  readonly phoneNumber: string
  readonly organization: OrganizationId
  readonly digest: Uint8Array
  readonly expiresAt: number
  sentAt: number
  wrong: number
  state: "pending" | "verified" | "failed"
  isConsumed: boolean
}

const limitsIn = (limit: WindowLimit | undefined): ReadonlyArray<Limit> =>
  limit === undefined ? [] : "max" in limit ? [limit] : limit

/** Seconds until all limits admit one more event; 0 if they admit one now. */
const waitOf = (times: ReadonlyArray<number>, limit: WindowLimit | undefined, now: number) =>
  Math.max(
    0,
    ...limitsIn(limit).map(({ max, windowMillis }) => {
      const inWindow = times.filter((at) => at > now - windowMillis)
      const blocking = inWindow.at(-max)
      return blocking === undefined ? 0 : Math.ceil((blocking + windowMillis - now) / 1_000)
    }),
  )

const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

type Compared = Command<"CheckCode"> | Command<"VerifyCode">

export class CommitWitness implements Witness {
  readonly #stage: Stage
  readonly #store: SimulatedStore
  readonly #limits: Limits
  readonly #isTimeKnown: boolean
  readonly messages: MessageWitness
  readonly outbox: OutboxWitness
  readonly counters: CounterWitness
  readonly #alerts: AlertWitness
  readonly #requests = new Map<RequestId, Request>()
  readonly #sends = new Map<string, Array<number>>()
  readonly #guesses = new Map<string, Array<number>>()
  readonly #sinceSuccess = new Map<string, number>()
  readonly #checks = new Map<string, Array<number>>()

  /** `isTimeKnown`: the store's clock does not jump, so a decision has the time of the world. */
  constructor(
    stage: Stage,
    store: SimulatedStore,
    arrived: ReadonlyMap<MessageId, number>,
    limits: Limits,
    isTimeKnown: boolean,
  ) {
    this.#stage = stage
    this.#store = store
    this.#limits = limits
    this.#isTimeKnown = isTimeKnown
    this.messages = new MessageWitness(stage, store, arrived, isTimeKnown)
    this.outbox = new OutboxWitness(stage, store, isTimeKnown)
    this.counters = new CounterWitness(stage, store)
    this.#alerts = new AlertWitness(stage, store, isTimeKnown)
  }

  /** The requests, in the order of their commits. */
  get requests(): ReadonlyMap<RequestId, Readonly<Request>> {
    return this.#requests
  }

  before(command: Command): void {
    this.messages.before(command)
    this.counters.before(command)
  }

  enqueued(sends: ReadonlyArray<NewQueuedSend>): void {
    this.outbox.enqueued(sends)
  }

  taken({ name }: SimulatedNode, rows: ReadonlyArray<QueuedSend>): void {
    if (rows.length === 0) return
    this.#stage.tell(`${name} takes ${rows.map(({ id, claim }) => `${id} (${claim})`).join(", ")}`)
    this.outbox.taken(rows)
  }

  after({ name }: SimulatedNode, command: Command, { result }: CommitResult<CommandResult>): void {
    this.#stage.meet(`commit: ${command._tag} ${result._tag}`)
    const about = "messageSequence" in command ? ` ${command.messageSequence}` : ""
    const line = `${name}: ${command._tag} ${command.organization}${about}: ${result._tag}`
    // Nodes ask often.
    if (result._tag !== "NotDue") this.#stage.tell(line)
    else this.#stage.world.note(line)
    const { organization } = command
    this.messages.after(command, result)
    this.outbox.after(command, result)
    this.counters.after(command, result, this.#timeOf(organization))
    this.#alerts.after(command, result)
    switch (command._tag) {
      case "AdmitVerification":
        return this.#admitted(organization, command.phoneNumber, result._tag)
      case "RequestVerification": {
        if (!command.isCounted) this.#admitted(organization, command.phoneNumber, result._tag)
        if (result._tag !== "Requested" || !("expiresAt" in result)) return undefined
        return this.#requested(command, result)
      }
      case "AdmitResend":
      case "ResendVerification": {
        const request = this.#requests.get(command.requestId)
        const isCounted = "isCounted" in command && command.isCounted
        if (request !== undefined && !isCounted) {
          this.#admitted(organization, request.phoneNumber, result._tag)
          this.#sentAgain(request, organization, result._tag)
        }
        return undefined
      }
      case "CancelVerification": {
        const request = this.#requests.get(command.requestId)
        if (result._tag === "Cancelled" && request?.state === "pending") request.state = "failed"
        return undefined
      }
      case "CheckCode":
      case "VerifyCode":
        return this.#compared(command, result)
      case "ConsumeVerification": {
        const request = this.#requests.get(command.requestId)
        if (request === undefined || result._tag !== "Consumed") return undefined
        if (request.isConsumed)
          this.#stage.fail(`I31: request ${command.requestId} is used up twice`)
        if (request.state !== "verified") {
          this.#stage.fail(`I31: request ${command.requestId} is used up and was not verified`)
        }
        request.isConsumed = true
        return undefined
      }
      default:
        return this.#changed(command, result)
    }
  }

  /** The time of a decision. */
  #timeOf(organization: OrganizationId): number {
    if (this.#isTimeKnown) return this.#stage.world.now
    return this.#store.now((store) => store.account(organization))?.lastAt ?? 0
  }

  #changed(command: Command, result: CommandResult): void {
    if (command._tag === "RecordDispatch") {
      this.#ended(command.requestId, result._tag === "Recorded" && isUnsent(command.outcome))
    }
    if (command._tag === "EndFollow" || command._tag === "FollowVerification") {
      this.#ended(command.requestId, true)
    }
  }

  /** A request whose code was certainly not sent may have failed; only the row says whether. */
  #ended(id: RequestId | null, mayHaveFailed: boolean): void {
    const request = id === null ? undefined : this.#requests.get(id)
    if (id === null || request === undefined || !mayHaveFailed) return
    const { organization } = request
    const row = this.#store.now((store) => store.verification(organization, id))?.verification
    if (row?.status === "failed" && request.state === "pending") {
      request.state = "failed"
      this.#stage.meet("request pending, an unsent code -> failed")
    }
  }

  #admitted(organization: OrganizationId, phoneNumber: string, result: CommandResult["_tag"]) {
    const now = this.#timeOf(organization)
    const key = `${organization} ${phoneNumber}`
    const times = this.#sends.get(key) ?? []
    const wait = waitOf(times, this.#limits.sendsPerNumber, now)
    if (result === "Limited" || result === "GuessesLimited") {
      const guesses = this.#guessWait(key, now)
      if (this.#isTimeKnown && wait === 0 && guesses === 0) {
        this.#stage.fail(`I15: a code for ${key} is refused, and the window has room`)
      }
      return
    }
    if (!counted.has(result)) return
    const hasRoom = this.#pending(organization, phoneNumber, now) < this.#limits.pendingPerNumber
    if (result === "TooManyPending" && hasRoom) {
      this.#stage.fail(`I16: a code for ${key} is refused, and few are pending`)
    }
    if (wait > 0) this.#stage.fail(`I15: ${key} got a code while the window was full`)
    if (this.#guessWait(key, now) > 0) this.#stage.fail(`I12: ${key} got a code without a budget`)
    this.#sends.set(key, [...times, now])
  }

  /** The code of a request is sent again after the cooldown. */
  #sentAgain(request: Request, organization: OrganizationId, result: CommandResult["_tag"]): void {
    const now = this.#timeOf(organization)
    const isSent = result === "Resent" || result === "Admitted"
    if (isSent && now < request.sentAt + this.#limits.resendCooldownMillis) {
      this.#stage.fail(`I32: a code is sent again within its cooldown`)
    }
    if (isSent) request.sentAt = now
  }

  #requested(
    { code, expirySeconds, organization, phoneNumber, requestId }: Command<"RequestVerification">,
    { expiresAt }: { readonly expiresAt: number },
  ): void {
    const now = this.#timeOf(organization)
    if (expiresAt !== now + expirySeconds * 1_000) {
      this.#stage.fail(`I14: request ${requestId} expires at ${expiresAt}`)
    }
    const { digest } = code
    const opened = { phoneNumber, organization, digest, expiresAt, sentAt: now }
    this.#requests.set(requestId, { ...opened, wrong: 0, state: "pending", isConsumed: false })
    const pending = this.#pending(organization, phoneNumber, now)
    if (pending > this.#limits.pendingPerNumber) {
      this.#stage.fail(`I16: ${pending} requests for ${phoneNumber} are pending`)
    }
  }

  #pending(organization: OrganizationId, phoneNumber: string, now: number): number {
    return [...this.#requests.values()].filter(
      (one) =>
        one.organization === organization &&
        one.phoneNumber === phoneNumber &&
        one.state === "pending" &&
        one.expiresAt > now,
    ).length
  }

  #guessWait(key: string, now: number): number {
    const { guessesPerNumber, guessesSinceSuccess = Infinity } = this.#limits
    const window = waitOf(this.#guesses.get(key) ?? [], guessesPerNumber, now)
    return (this.#sinceSuccess.get(key) ?? 0) >= guessesSinceSuccess ? 86_400 : window
  }

  #compared(command: Compared, result: CommandResult): void {
    if (result._tag === "Stale" || result._tag === "NoAccount") return
    if (result._tag === "Repeated" || result._tag === "IdempotencyMismatch") return
    const { candidates, organization, requestId } = command
    const now = this.#timeOf(organization)
    const known = this.#requests.get(requestId)
    const request = known?.organization === organization ? known : undefined
    const checks = this.#checks.get(organization) ?? []
    const key = request === undefined ? "" : `${organization} ${request.phoneNumber}`
    const wait = Math.max(
      waitOf(checks, this.#limits.checksPerOrganization, now),
      this.#guessWait(key, now),
    )
    if (result._tag === "Limited" || result._tag === "GuessesLimited") {
      if (this.#isTimeKnown && wait === 0) {
        this.#stage.fail(`I15: a check of ${requestId} is refused, and the windows have room`)
      }
      return
    }
    if (wait > 0 && this.#isTimeKnown) {
      this.#stage.fail(`I15: a check of ${requestId} is made while the windows are full`)
    }
    this.#checks.set(organization, [...checks, now])
    const isRight =
      request !== undefined && candidates.some(({ digest }) => isEqual(digest, request.digest))
    const stateBefore = request === undefined ? "unknown" : stateAt(request, now)
    const isLast = request !== undefined && request.wrong + 1 >= this.#limits.attempts
    const expected = expectedOf(command._tag, request, now, isRight, this.#limits.attempts)
    const actual =
      "attemptsRemaining" in result ? `WrongCode ${result.attemptsRemaining}` : result._tag
    const state = stateBefore === "pending" && isLast ? "last attempt" : stateBefore
    if (actual !== expected && this.#isTimeKnown) {
      const what = `a ${isRight ? "right" : "wrong"} code for request ${requestId}, ${state}`
      this.#stage.fail(`I11: ${command._tag} of ${what}, gives ${actual}, not ${expected}`)
    }
    if (request === undefined) return
    this.#count(command._tag, request, key, stateBefore, isRight, now)
    this.#stage.meet(`request ${state}, ${isRight ? "right" : "wrong"} -> ${stateAt(request, now)}`)
  }

  #count(
    tag: Compared["_tag"],
    request: Request,
    key: string,
    state: string,
    isRight: boolean,
    now: number,
  ): void {
    const isUsable = !request.isConsumed && now < request.expiresAt
    const isOpen = state === "pending" || (tag === "VerifyCode" && state === "verified" && isUsable)
    if (!isOpen || request.wrong >= this.#limits.attempts) return
    if (isRight) {
      this.#sinceSuccess.set(key, 0)
      request.state = "verified"
      if (tag === "VerifyCode") request.isConsumed = true
      return
    }
    request.wrong += 1
    this.#guesses.set(key, [...(this.#guesses.get(key) ?? []), now])
    this.#sinceSuccess.set(key, (this.#sinceSuccess.get(key) ?? 0) + 1)
    if (request.wrong >= this.#limits.attempts && state === "pending") request.state = "failed"
  }
}

/** The results after which a code counts for its number. */
const counted: ReadonlySet<string> = new Set([
  "Admitted",
  "Requested",
  "Resent",
  "TooManyPending",
  "Insufficient",
] satisfies ReadonlyArray<CommandResult["_tag"]>)

const stateAt = ({ expiresAt, state }: Request, now: number) =>
  state === "pending" && now >= expiresAt ? "expired" : state

/** The documented result of a comparison. */
const expectedOf = (
  tag: Compared["_tag"],
  request: Request | undefined,
  now: number,
  isRight: boolean,
  attempts: number,
): string => {
  if (request === undefined) return "NotFound"
  const isOnce = tag === "VerifyCode"
  if (isOnce && request.isConsumed) return "AlreadyConsumed"
  if (request.state === "failed") return "Failed"
  if (request.state === "verified" && !isOnce) return "Verified"
  if (now >= request.expiresAt) return "Expired"
  if (request.wrong >= attempts) return "Failed"
  if (isRight) return isOnce ? "Consumed" : "Verified"
  const left = attempts - request.wrong - 1
  return left === 0 ? "Failed" : `WrongCode ${left}`
}
