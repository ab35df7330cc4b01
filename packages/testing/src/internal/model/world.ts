/**
 * The small world that histories happen in: who there is, what they may ask
 * for, and how the gateway treats whom.
 */
import type { Channel } from "@countersign/core/domain/Channel"
import type { ReportStatus } from "@countersign/core/domain/GatewayOutcome"
import type { Kind } from "@countersign/core/decide/Pruning"
import type { Behaviour } from "@countersign/core/adapters/SimulatedGateway"
import type { Watch } from "./suspicion.ts"

/** What a run is set up with. */
export interface Config {
  /** Whether the gateway reports on what it has accepted. */
  readonly reports: boolean
  /** Whether the gateway sends one message per token. */
  readonly honoursToken: boolean
  /** Whether the gateway can tell what became of a token. */
  readonly lookup: boolean
  /** Messages in any minute; `null` for no limit. */
  readonly messagesPerMinute: number | null
  /** What may be spent in a day, in units; `null` for no cap. */
  readonly spendPerDay: number | null
  /** What the codes are watched for; `null` where they are not. */
  readonly watch: Watch | null
  /** Whether what is refused over WhatsApp goes out by SMS. */
  readonly fallback: boolean
}

export interface Person {
  readonly phone: string
  readonly behaviour: Behaviour
  readonly isOnWhatsApp: boolean
  /** How the gateway treats what is for WhatsApp, where that is another way. */
  readonly overWhatsApp?: Behaviour | undefined
}

const person = (
  phone: string,
  behaviour: Behaviour,
  isOnWhatsApp = true,
  overWhatsApp?: Behaviour,
): Person => ({ phone, behaviour, isOnWhatsApp, overWhatsApp })

/** The first three are those that many may be sent to at once. */
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
 * How the gateway treats what is for somebody. Where refusals are followed by an SMS, nothing stays open
 * over WhatsApp: histories have no place for what happens by itself while the clock moves.
 */
export const behaviourOf = (
  { behaviour, overWhatsApp }: Person,
  channel: Channel,
  { fallback }: Config,
): Behaviour => {
  if (channel === "sms") return behaviour
  const isOpen = behaviour._tag === "NeverReport" || behaviour._tag === "NeverAnswer"
  return overWhatsApp ?? (fallback && isOpen ? { _tag: "Deliver" } : behaviour)
}

/** A person who cannot be: no operator has this range. */
export const nobody = "+8801012345678"

export const organizationNames = ["acme", "zenith"] as const

/** Paid in before the first command, in units. */
export const openingBalances = [60_000, 20_000] as const

export const senders = {
  line: "8809600000000",
  mask: "ACME",
  profile: "acme-profile",
} as const

/** What can be named as a sender; `zenith` has no profile. */
export const brandNames = [undefined, "line", "mask", "ACME", "profile", "nobody's"] as const

export const allowLists = [[], ["203.0.113.0/24"], ["2001:db8::/32", "203.0.113.7"]] as const

/** The second is in both lists, the third in the first of them only. */
export const addresses = [undefined, "203.0.113.7", "203.0.113.200", "198.51.100.1"] as const

export const gatewayTimeoutMillis = 10_000
export const leaseMillis = gatewayTimeoutMillis + 60_000
export const settleMillis = 86_400_000

/** Everything that can happen. `node` says which of two engines over one store is asked. */
export type Action =
  | { readonly tag: "advance"; readonly millis: number }
  /** On to the moment at which something ends, or its neighbours. */
  | {
      readonly tag: "until"
      readonly moment: "expiry" | "lease" | "deadline" | "minute"
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
      readonly key: number | undefined
      readonly count: number
    }
  | {
      readonly tag: "check"
      readonly node: number
      readonly org: number | undefined
      readonly request: number
      readonly code: "right" | "wrong" | "spaced" | "bangla" | "letters" | "empty" | "long"
      readonly key: number | undefined
      readonly count: number
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
      /** From the time of one message to that of another, give or take. */
      readonly range:
        | readonly [from: number, earlier: number, to: number, later: number]
        | undefined
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
      /** The payment that is booked; `null` for a booking without a payment id. */
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
    }
  | { readonly tag: "settle"; readonly node: number }
  /** Drops all that may go, `limit` rows in a step. */
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
  | { readonly tag: "suspend" | "resume"; readonly node: number; readonly org: number }
