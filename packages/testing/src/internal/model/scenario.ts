/**
 * The setup of a history: people, possible actions, and the gateway's behaviour.
 */
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import type { MessageStatus } from "@countersign/core/domain/messages/MessageStatus"
import type { VerificationState } from "@countersign/core/domain/verifications/VerificationState"
import type { Kind } from "@countersign/core/decide/maintenance/Pruning"
import type { Behaviour } from "@countersign/core/adapters/SimulatedGateway"
import * as fc from "fast-check"
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

export const often = <A>(
  weight: number,
  usual: fc.Arbitrary<A>,
  other: fc.Arbitrary<A>,
): fc.Arbitrary<A> => fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other })

export const config: fc.Arbitrary<Config> = fc.record({
  reports: often(3, fc.constant(true), fc.constant(false)),
  honoursToken: fc.boolean(),
  lookup: often(3, fc.constant(false), fc.constant(true)),
  fallback: fc.boolean(),
  limitsClients: fc.boolean(),
  resends: fc.constantFrom(3, 3, 1),
  cooldownMillis: fc.constantFrom(30_000, 0),
  guesses: fc.constantFrom("documented", "windows", "series"),
  messagesPerMinute: fc.constantFrom(null, 3),
  spendPerDay: fc.constantFrom(null, 32_000),
  balanceLowAt: fc.constantFrom(null, 15_000, 50_000),
  watch: often<Config["watch"]>(
    2,
    fc.constant(null),
    fc.record({
      windowMillis: fc.constantFrom(60_000, 90_000),
      maxSent: fc.constantFrom(8, 1_000),
      minSent: fc.constant(5),
      minConversion: fc.constantFrom(0, 0.3),
      action: fc.constantFrom("record", "deny"),
    }),
  ),
})

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

/** The kind of text that a person types for a code. */
export type TypedCode = "right" | "wrong" | "spaced" | "bangla" | "letters" | "empty" | "long"

/** `node` selects one of two engines over one store. */
export interface OnNode {
  readonly node: number
}

export interface InOrganization extends OnNode {
  readonly org: number
}

export interface ToPerson extends InOrganization {
  readonly person: number
}

export interface Keyed {
  readonly key: number | undefined
  readonly count: number
}

/** If `org` is `undefined`, it is the organization of the request. */
export interface OnRequest extends OnNode, Keyed {
  readonly org: number | undefined
  readonly request: number
  readonly among: Among
}

export interface OfClient {
  readonly client: number | undefined
  /** Whether the client is the last that has verified the number, if there is one. */
  readonly isKnown: boolean
}

export interface Comparison extends OnRequest, OfClient {
  readonly purpose: Purpose
  readonly code: TypedCode
}

export interface Booking extends InOrganization {
  readonly units: number
  /** `null` for a booking without a payment id. */
  readonly payment: number | null
}

export interface OnQueued extends OnNode {
  readonly send: number
}

/** The fields of each action besides its tag. */
export interface Actions {
  readonly advance: { readonly millis: number }
  /** Advances to the moment at which a state ends, or to one millisecond around it. */
  readonly until: {
    readonly moment: "expiry" | "lease" | "deadline" | "minute" | "resend" | "follow" | "key"
    readonly index: number
    readonly offset: number
  }
  readonly verify: ToPerson &
    Keyed & {
      readonly channel: Channel
      readonly codeLength: number | undefined
      readonly expirySeconds: number | undefined
      readonly brand: (typeof brandNames)[number]
      readonly purpose: Purpose
      readonly client: number | undefined
      /** Takes the number, and the client if there is one, from those that know each other. */
      readonly known: number | undefined
    }
  readonly resend: OnRequest & OfClient & { readonly channel: Channel | undefined }
  readonly cancel: OnRequest
  readonly consume: OnRequest & { readonly purpose: Purpose }
  readonly check: Comparison & { readonly by: "request" | "number" }
  /** Checks a code and uses the request up. */
  readonly verifyCode: Comparison
  /** Retries a call under its idempotency key, with its own input or with another one. */
  readonly retry: OnNode & {
    readonly of: RetriedTag
    readonly call: number
    readonly isOther: boolean
  }
  readonly resetGuesses: ToPerson
  /** Erases the phone number of a person. */
  readonly erase: ToPerson
  readonly status: Pick<OnRequest, "node" | "org" | "request">
  readonly message: ToPerson &
    Keyed & {
      readonly channel: Channel
      readonly brand: (typeof brandNames)[number]
      readonly text: string
      readonly address: (typeof addresses)[number]
    }
  readonly list: InOrganization & {
    readonly page: number
    readonly limit: number
    /** From the time of one message to the time of another, with an offset. */
    readonly range: readonly [from: number, earlier: number, to: number, later: number] | undefined
  }
  readonly search: InOrganization & {
    /** `undefined` searches all numbers, messages or requests. */
    readonly person: number | undefined
    readonly status: MessageStatus | undefined
    readonly state: VerificationState | undefined
    readonly limit: number
  }
  readonly balance: InOrganization & Pick<Keyed, "key">
  readonly topUp: Booking
  readonly adjust: Booking
  readonly report: OnNode & {
    readonly message: number
    readonly status: ReportStatus
    readonly by: "message" | "gateway id" | "unknown id"
    readonly times: number
  }
  readonly crash: Pick<ToPerson, "org" | "person"> & {
    readonly carriesCode: boolean
    /** Whether the gateway had answered, and so had the node: the outcome was not written yet. */
    readonly isAnswered: boolean
  }
  readonly settle: OnNode
  /** A host queues a code or a message. */
  readonly queue: ToPerson & {
    readonly isCode: boolean
    readonly orderKey: number | undefined
    /** Milliseconds until it is due, and from then on until it is dropped. Only for messages. */
    readonly delay: number
    readonly expiry: number | undefined
  }
  readonly dispatch: OnQueued
  readonly cancelQueued: OnQueued
  readonly reschedule: OnQueued & { readonly delay: number }
  readonly queuedStatus: OnQueued
  /** A node sends all that is due. */
  readonly drain: OnNode
  /** Prunes all removable rows, `limit` rows per step. */
  readonly prune: Pick<InOrganization, "org"> & {
    readonly kind: Kind
    readonly keepMillis: number
    readonly limit: number
  }
  readonly createKey: InOrganization
  readonly revokeKey: InOrganization & { readonly key: number }
  readonly allow: InOrganization & { readonly list: number }
  readonly block: InOrganization & { readonly lists: number }
  readonly suspend: InOrganization
  readonly resume: InOrganization
}

export type Action<T extends keyof Actions = keyof Actions> = {
  readonly [K in T]: { readonly tag: K } & Actions[K]
}[T]

export const action = <T extends keyof Actions>(
  tag: T,
  fields: { [K in keyof Actions[T]]: fc.Arbitrary<Actions[T][K]> },
) => fc.record<Actions[T]>(fields).map((rest) => ({ tag, ...rest }))
