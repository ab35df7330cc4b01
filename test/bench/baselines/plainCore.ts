/**
 * The rules of one-time codes as a good engineer writes them for one process without a framework: maps,
 * mutable objects, dates as numbers. It keeps the same data as the engine (the log, the ledger, the windows,
 * the pending requests, the attempts) and gives the same results.
 */
import { parsePhoneNumberFromString } from "libphonenumber-js/max"
import {
  createHmac,
  createSecretKey,
  type KeyObject,
  randomInt,
  randomUUID,
  timingSafeEqual,
} from "node:crypto"

export interface PlainLimit {
  readonly max: number
  readonly windowMillis: number
}

export interface PlainLimits {
  readonly sendsPerNumber: PlainLimit | undefined
  readonly pendingPerNumber: number
  readonly checksPerOrganization: PlainLimit | undefined
  readonly attempts: number
}

export interface PlainMessage {
  readonly id: string
  readonly number: number
  readonly recipient: string
  readonly text: string
  readonly channel: string
  readonly logChannel: string
  readonly sender: string
  readonly verification: string
  readonly gateway: string
  readonly charge: number
  readonly createdAt: number
  status: string
  hold: "open" | "captured" | "released"
  gatewayId: string | undefined
  error: string | undefined
  attempt: number
  dueAt: number | undefined
  readonly settleBy: number
}

interface Entry {
  readonly number: number
  readonly kind: "hold" | "capture" | "release"
  readonly amount: number
  readonly balance: number
  readonly held: number
  readonly message: number
  readonly at: number
}

interface Verification {
  readonly id: string
  readonly number: string
  readonly channel: string
  status: "pending" | "verified" | "failed"
  readonly createdAt: number
  readonly expiresAt: number
  verifiedAt: number | undefined
  attemptsRemaining: number
  readonly digest: Uint8Array
  readonly message: number
}

interface Recipient {
  readonly sends: Array<number>
  pending: Array<Verification>
}

/** A request. The caller computes the digest of the code, as for `decide` of the engine. */
export interface PlainRequest {
  readonly id: string
  readonly number: string
  readonly digest: Uint8Array
  readonly expirySeconds: number
  readonly messageId: string
  readonly text: string
  readonly channel: string
  readonly logChannel: string
  readonly sender: string
  readonly gateway: string
  readonly charge: number
}

export type Requested =
  | { readonly status: "requested"; readonly message: number; readonly balance: number }
  | { readonly status: "limited"; readonly retryAfterSeconds: number }
  | { readonly status: "tooManyPending" }
  | { readonly status: "insufficient"; readonly required: number; readonly available: number }

export type Checked =
  | { readonly status: "verified"; readonly number: string; readonly verifiedAt: number }
  | { readonly status: "wrongCode"; readonly attemptsRemaining: number }
  | { readonly status: "failed" | "expired" | "notFound" }
  | { readonly status: "limited"; readonly retryAfterSeconds: number }

export type PlainOutcome =
  | { readonly status: "delivered"; readonly gatewayId: string }
  | { readonly status: "rejected"; readonly error: string }

const leaseMillis = 70_000
const settleMillis = 86_400_000

/** Counts one more event, or returns the seconds until there is room for it. */
const admit = (times: Array<number>, limit: PlainLimit | undefined, now: number): number => {
  if (limit === undefined) return 0
  let over = 0
  for (const at of times) {
    if (at > now - limit.windowMillis) break
    over += 1
  }
  if (over > 0) times.splice(0, over)
  if (times.length < limit.max) {
    times.push(now)
    return 0
  }
  const [oldest = now] = times
  return Math.max(1, Math.ceil((oldest + limit.windowMillis - now) / 1_000))
}

/** One organization. */
export class PlainCore {
  balance: number
  held = 0
  readonly log: Array<PlainMessage> = []
  readonly ledger: Array<Entry> = []
  readonly verifications = new Map<string, Verification>()
  readonly #recipients = new Map<string, Recipient>()
  readonly #checks: Array<number> = []
  readonly #limits: PlainLimits

  constructor(balance: number, limits: PlainLimits) {
    this.balance = balance
    this.#limits = limits
  }

  /** Opens a request and holds the price of its message. */
  request(request: PlainRequest, now: number): Requested {
    const { charge, number } = request
    let recipient = this.#recipients.get(number)
    if (recipient === undefined) {
      recipient = { sends: [], pending: [] }
      this.#recipients.set(number, recipient)
    }
    const retryAfterSeconds = admit(recipient.sends, this.#limits.sendsPerNumber, now)
    if (retryAfterSeconds > 0) return { status: "limited", retryAfterSeconds }
    recipient.pending = recipient.pending.filter(({ expiresAt }) => now < expiresAt)
    if (recipient.pending.length >= this.#limits.pendingPerNumber) {
      return { status: "tooManyPending" }
    }
    if (charge > this.balance) {
      return { status: "insufficient", required: charge, available: this.balance }
    }
    const message = this.log.length + 1
    this.log.push({
      id: request.messageId,
      number: message,
      recipient: number,
      text: request.text,
      channel: request.channel,
      logChannel: request.logChannel,
      sender: request.sender,
      verification: request.id,
      gateway: request.gateway,
      charge,
      createdAt: now,
      status: "pending",
      hold: "open",
      gatewayId: undefined,
      error: undefined,
      attempt: 1,
      dueAt: now + leaseMillis,
      settleBy: now + settleMillis,
    })
    this.#post("hold", charge, message, now)
    const verification: Verification = {
      id: request.id,
      number,
      channel: request.channel,
      status: "pending",
      createdAt: now,
      expiresAt: now + request.expirySeconds * 1_000,
      verifiedAt: undefined,
      attemptsRemaining: this.#limits.attempts,
      digest: request.digest,
      message,
    }
    this.verifications.set(request.id, verification)
    recipient.pending.push(verification)
    return { status: "requested", message, balance: this.balance }
  }

  /** Records the outcome of the gateway, and captures or refunds the price. */
  settle(
    number: number,
    attempt: number,
    outcome: PlainOutcome,
    now: number,
  ): PlainMessage | undefined {
    const message = this.log[number - 1]
    if (message === undefined || message.attempt !== attempt) return undefined
    if (message.dueAt === undefined) return message
    message.status = outcome.status
    message.dueAt = undefined
    if (outcome.status === "delivered") {
      message.gatewayId = outcome.gatewayId
      message.hold = "captured"
      this.#post("capture", message.charge, number, now)
      return message
    }
    message.error = outcome.error
    message.hold = "released"
    this.#post("release", message.charge, number, now)
    const verification = this.verifications.get(message.verification)
    if (verification?.status === "pending") this.#close(verification, "failed")
    return message
  }

  /** Compares a code with the code of a request. */
  check(id: string, digest: Uint8Array, now: number): Checked {
    const retryAfterSeconds = admit(this.#checks, this.#limits.checksPerOrganization, now)
    if (retryAfterSeconds > 0) return { status: "limited", retryAfterSeconds }
    const verification = this.verifications.get(id)
    if (verification === undefined) return { status: "notFound" }
    const matches = timingSafeEqual(digest, verification.digest)
    if (verification.status === "verified") {
      return {
        status: "verified",
        number: verification.number,
        verifiedAt: verification.verifiedAt ?? now,
      }
    }
    if (verification.status === "failed") return { status: "failed" }
    if (now >= verification.expiresAt) return { status: "expired" }
    if (matches) {
      verification.verifiedAt = now
      this.#close(verification, "verified")
      return { status: "verified", number: verification.number, verifiedAt: now }
    }
    verification.attemptsRemaining -= 1
    if (verification.attemptsRemaining > 0) {
      return { status: "wrongCode", attemptsRemaining: verification.attemptsRemaining }
    }
    this.#close(verification, "failed")
    return { status: "failed" }
  }

  #close(verification: Verification, status: "verified" | "failed"): void {
    verification.status = status
    const recipient = this.#recipients.get(verification.number)
    const at = recipient?.pending.indexOf(verification) ?? -1
    if (at >= 0) recipient?.pending.splice(at, 1)
  }

  #post(kind: Entry["kind"], amount: number, message: number, at: number): void {
    if (kind === "hold") {
      this.balance -= amount
      this.held += amount
    } else {
      this.held -= amount
      if (kind === "release") this.balance += amount
    }
    this.ledger.push({
      number: this.ledger.length + 1,
      kind,
      amount,
      balance: this.balance,
      held: this.held,
      message,
      at,
    })
  }
}

export interface PlainGateway {
  readonly send: (to: string, text: string) => Promise<PlainOutcome>
}

/** A refusal that the caller receives. */
export class PlainError extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** Sends and checks codes with `PlainCore`, in the same steps as `Verifications` of the engine. */
export class PlainVerifications {
  readonly #core: PlainCore
  readonly #gateway: PlainGateway
  readonly #secret: KeyObject
  readonly #sender: string

  constructor(core: PlainCore, gateway: PlainGateway, secret: string, sender: string) {
    this.#core = core
    this.#gateway = gateway
    this.#secret = createSecretKey(secret, "utf8")
    this.#sender = sender
  }

  async send(
    phoneNumber: string,
  ): Promise<{ requestId: string; to: string; expiresInSeconds: number }> {
    const parsed = parsePhoneNumberFromString(phoneNumber)
    if (parsed === undefined || !parsed.isValid() || parsed.number !== phoneNumber) {
      throw new PlainError("invalid number")
    }
    const id = sortableId("vrf")
    const code = String(randomInt(1_000_000)).padStart(6, "0")
    const requested = this.#core.request(
      {
        id,
        number: phoneNumber,
        digest: this.#digest(id, code),
        expirySeconds: 300,
        messageId: sortableId("msg"),
        text: textOf("••••••"),
        channel: "sms",
        logChannel: "non-mask",
        sender: this.#sender,
        gateway: "instant",
        charge: 5_000,
      },
      Date.now(),
    )
    if (requested.status !== "requested") throw new PlainError(requested.status)
    const outcome = await this.#gateway.send(phoneNumber, textOf(code))
    this.#core.settle(requested.message, 1, outcome, Date.now())
    if (outcome.status === "rejected") throw new PlainError("not sent")
    return { requestId: id, to: phoneNumber, expiresInSeconds: 300 }
  }

  async check(id: string, code: string): Promise<{ to: string; verifiedAt: number }> {
    const checked = this.#core.check(id, this.#digest(id, code), Date.now())
    if (checked.status !== "verified") throw new PlainError(checked.status)
    return { to: checked.number, verifiedAt: checked.verifiedAt }
  }

  #digest(id: string, code: string): Uint8Array {
    return createHmac("sha256", this.#secret).update(`${id}\n${code}`).digest()
  }
}

const textOf = (code: string): string =>
  `${code} is your verification code. Do not share it with anyone.`

/** Node draws identifiers in advance, 128 at a time. */
const sortableId = (prefix: string): string =>
  `${prefix}_${Date.now().toString(16).padStart(12, "0")}-${randomUUID()}`
