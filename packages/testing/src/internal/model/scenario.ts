/**
 * The setup of a history: people, possible actions, and the gateway's behaviour.
 */
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import type { MessageStatus } from "@countersign/core/domain/messages/MessageStatus"
import type { VerificationState } from "@countersign/core/domain/verifications/VerificationState"
import type { Kind } from "@countersign/core/decide/maintenance/Pruning"
import type { Behaviour } from "@countersign/core/adapters/SimulatedGateway"
import type { Watch } from "./suspicion.ts"

/** Setup of a run. */
export interface Config {
  /** Whether the gateway reports on accepted messages. */
  readonly reports: boolean
  /** Whether the gateway sends one message per token. */
  readonly honoursToken: boolean
  /** Whether the gateway supports lookups by token. */
  readonly lookup: boolean
  /** The budget of wrong codes for a number: the documented one, small windows, or a short series. */
  readonly guesses: "documented" | "windows" | "series"
  /** Whether clients may make 3 requests and 4 checks in a minute. */
  readonly limitsClients: boolean
  /** How often a code may be sent again: as documented, or once. */
  readonly resends: 3 | 1
  /** The pause before a code is sent again: as documented, or none. */
  readonly cooldownMillis: 30_000 | 0
  /** Most messages per minute; `null` for no limit. */
  readonly messagesPerMinute: number | null
  /** Most units that may be spent per day; `null` for no limit. */
  readonly spendPerDay: number | null
  /** The balance below which it is low; `null` for none. */
  readonly balanceLowAt: number | null
  /** Fraud rules; `null` when fraud detection is off. */
  readonly watch: Watch | null
  /** Whether messages that WhatsApp rejects are sent by SMS. */
  readonly fallback: boolean
}

export interface Person {
  readonly phone: string
  readonly behaviour: Behaviour
  readonly isOnWhatsApp: boolean
  /** The gateway's behaviour for WhatsApp, if it differs. */
  readonly overWhatsApp?: Behaviour | undefined
}

const person = (
  phone: string,
  behaviour: Behaviour,
  isOnWhatsApp = true,
  overWhatsApp?: Behaviour,
): Person => ({ phone, behaviour, isOnWhatsApp, overWhatsApp })

/** Concurrent sends may go to the first three. */
export const people: ReadonlyArray<Person> = [
  person("+8801712345670", { _tag: "Deliver" }),
  person("+8801712345671", { _tag: "NeverReport" }),
  person("+8801712345672", { _tag: "Deliver" }, false),
  person("+8801712345673", { _tag: "Reject", message: "barred" }),
  person("+8801712345674", { _tag: "NotSend", message: "no route" }),
  person("+8801712345675", { _tag: "NeverAnswer" }),
  person("+8801712345676", { _tag: "Deliver" }, true, { _tag: "Reject", message: "blocked" }),
]

/**
 * Returns the gateway's behaviour for a person. With the SMS fallback, every WhatsApp message is answered:
 * histories do not model events that happen while the clock moves.
 */
export const behaviourOf = (
  { behaviour, overWhatsApp }: Person,
  channel: Channel,
  { fallback }: Config,
): Behaviour => {
  if (channel === "sms") return behaviour
  const isOpen = behaviour._tag === "NeverAnswer"
  return overWhatsApp ?? (fallback && isOpen ? { _tag: "Deliver" } : behaviour)
}

/** An invalid phone number: no operator has this range. */
export const unknownPhone = "+8801012345678"

export const organizationNames = ["acme", "zenith"] as const

/** Top-ups before the first command, in units. */
export const openingBalances = [60_000, 20_000] as const

/** Senders that exist before the first command. */
export const openingBrands = [3, 2] as const

export const senders = {
  line: "8809600000000",
  mask: "ACME",
  profile: "acme-profile",
} as const

/** Values for the sender; `zenith` has no profile. */
export const brandNames = [undefined, "line", "mask", "ACME", "profile", "unknown"] as const

export const allowLists = [[], ["203.0.113.0/24"], ["2001:db8::/32", "203.0.113.7"]] as const

/** The second is on both allow lists, the third only on the first. */
export const addresses = [undefined, "203.0.113.7", "203.0.113.200", "198.51.100.1"] as const

/** In the second, the first person is blocked; in the third, all but the first two, whom no rule denies. */
export const prefixLists = [
  { blockedPrefixes: [], allowedPrefixes: [] },
  { blockedPrefixes: ["8801712345670"], allowedPrefixes: ["88017123456"] },
  { blockedPrefixes: ["88017"], allowedPrefixes: ["8801712345670", "8801712345671"] },
  { blockedPrefixes: ["8802"], allowedPrefixes: ["880"] },
] as const

export const gatewayTimeoutMillis = 10_000
export const leaseMillis = gatewayTimeoutMillis + 60_000
export const settleMillis = 86_400_000

export type Purpose = "login" | "payment" | undefined

/** The requests that an action chooses from: those in a state, if there are any, or all; or the newest one. */
export type Among = "any" | "pending" | "verified" | "newest"

/** The calls that take an idempotency key. */
export type RetriedTag = "message" | "verify" | "resend" | "consume" | "verifyCode"

/** What a person types for a code. */
export type TypedCode = "right" | "wrong" | "spaced" | "bangla" | "letters" | "empty" | "long"

/** All actions. `node` selects one of two engines over one store. */
export type Action =
  | { readonly tag: "advance"; readonly millis: number }
  /** Advances to the moment at which a state ends, or to one millisecond around it. */
  | {
      readonly tag: "until"
      readonly moment: "expiry" | "lease" | "deadline" | "minute" | "resend" | "follow" | "key"
      readonly index: number
      readonly offset: number
    }
  | {
      readonly tag: "verify"
      readonly node: number
      readonly org: number
      readonly person: number
      readonly channel: Channel
      readonly codeLength: number | undefined
      readonly expirySeconds: number | undefined
      readonly brand: (typeof brandNames)[number]
      readonly purpose: Purpose
      readonly key: number | undefined
      readonly client: number | undefined
      /** Takes the number, and the client if there is one, from those that know each other. */
      readonly known: number | undefined
      readonly count: number
    }
  | {
      readonly tag: "resend"
      readonly node: number
      readonly org: number | undefined
      readonly request: number
      readonly among: Among
      readonly channel: Channel | undefined
      readonly key: number | undefined
      readonly client: number | undefined
      readonly isKnown: boolean
      readonly count: number
    }
  | {
      readonly tag: "cancel"
      readonly node: number
      readonly org: number | undefined
      readonly request: number
      readonly among: Among
      readonly key: number | undefined
      readonly count: number
    }
  | {
      readonly tag: "consume"
      readonly node: number
      readonly org: number | undefined
      readonly request: number
      readonly among: Among
      readonly purpose: Purpose
      readonly key: number | undefined
      readonly count: number
    }
  | {
      readonly tag: "check"
      readonly node: number
      readonly org: number | undefined
      readonly request: number
      readonly among: Among
      readonly by: "request" | "number"
      readonly purpose: Purpose
      readonly code: TypedCode
      readonly key: number | undefined
      readonly client: number | undefined
      /** Whether the client is the last that has verified the number, if there is one. */
      readonly isKnown: boolean
      readonly count: number
    }
  /** Checks a code and uses the request up. */
  | {
      readonly tag: "verifyCode"
      readonly node: number
      readonly org: number | undefined
      readonly request: number
      readonly among: Among
      readonly purpose: Purpose
      readonly code: TypedCode
      readonly key: number | undefined
      readonly client: number | undefined
      readonly isKnown: boolean
      readonly count: number
    }
  /** Retries a call under its idempotency key, with its own input or with another one. */
  | {
      readonly tag: "retry"
      readonly node: number
      readonly of: RetriedTag
      readonly call: number
      readonly isOther: boolean
    }
  | {
      readonly tag: "resetGuesses"
      readonly node: number
      readonly org: number
      readonly person: number
    }
  /** Erases the phone number of a person. */
  | {
      readonly tag: "erase"
      readonly node: number
      readonly org: number
      readonly person: number
    }
  | {
      readonly tag: "status"
      readonly node: number
      readonly org: number | undefined
      readonly request: number
    }
  | {
      readonly tag: "message"
      readonly node: number
      readonly org: number
      readonly person: number
      readonly channel: Channel
      readonly brand: (typeof brandNames)[number]
      readonly text: string
      readonly key: number | undefined
      readonly address: (typeof addresses)[number]
      readonly count: number
    }
  | {
      readonly tag: "list"
      readonly node: number
      readonly org: number
      readonly page: number
      readonly limit: number
      /** From the time of one message to that of another, with an offset. */
      readonly range:
        | readonly [from: number, earlier: number, to: number, later: number]
        | undefined
    }
  | {
      readonly tag: "search"
      readonly node: number
      readonly org: number
      /** `undefined` searches all numbers, messages or requests. */
      readonly person: number | undefined
      readonly status: MessageStatus | undefined
      readonly state: VerificationState | undefined
      readonly limit: number
    }
  | {
      readonly tag: "balance"
      readonly node: number
      readonly org: number
      readonly key: number | undefined
    }
  | {
      readonly tag: "topUp" | "adjust"
      readonly node: number
      readonly org: number
      readonly units: number
      /** The payment of the top-up; `null` for a top-up without a payment id. */
      readonly payment: number | null
    }
  | {
      readonly tag: "report"
      readonly node: number
      readonly message: number
      readonly status: ReportStatus
      readonly by: "message" | "gateway id" | "unknown id"
      readonly times: number
    }
  | {
      readonly tag: "crash"
      readonly org: number
      readonly person: number
      readonly carriesCode: boolean
      /** Whether the gateway had answered, and so had the node: the outcome was not written yet. */
      readonly isAnswered: boolean
    }
  | { readonly tag: "settle"; readonly node: number }
  /** Prunes all removable rows, `limit` rows per step. */
  | {
      readonly tag: "prune"
      readonly org: number
      readonly kind: Kind
      readonly keepMillis: number
      readonly limit: number
    }
  | { readonly tag: "createKey"; readonly node: number; readonly org: number }
  | { readonly tag: "revokeKey"; readonly node: number; readonly org: number; readonly key: number }
  | { readonly tag: "allow"; readonly node: number; readonly org: number; readonly list: number }
  | { readonly tag: "block"; readonly node: number; readonly org: number; readonly lists: number }
  | { readonly tag: "suspend" | "resume"; readonly node: number; readonly org: number }
