/**
 * Numbers that stand for something going wrong, as in the quickstart: of
 * `+8801555......`, the last three digits say what.
 */
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import type { PhoneNumber } from "@countersign/core/domain/PhoneNumber"
import type { Behaviour } from "@countersign/core/adapters/SimulatedGateway"

interface Treatment {
  readonly ending: string
  readonly sms: Behaviour
  readonly whatsapp: Behaviour
}

const both = (ending: string, behaviour: Behaviour): Treatment => ({
  ending,
  sms: behaviour,
  whatsapp: behaviour,
})

const deliver: Behaviour = { _tag: "Deliver" }

/** How soon the gateway reports, where it does so by itself. */
const reportMillis = 20

const special = {
  /** Refused by the carrier. */
  refused: both("101", { _tag: "Reject", message: "The carrier refused the message" }),
  /** Not on WhatsApp; an SMS is delivered. */
  notOnWhatsApp: {
    ending: "102",
    sms: deliver,
    whatsapp: { _tag: "Reject", message: "The recipient is not on WhatsApp" },
  },
  /** Taken, and reported undelivered soon after. */
  undelivered: both("103", {
    _tag: "Report",
    status: "undelivered",
    afterMillis: reportMillis,
  }),
  /** Never answers, so nobody knows whether it was sent. */
  silent: both("104", { _tag: "NeverAnswer" }),
  /** Taken, and reported delivered soon after. */
  deliveredLater: both("105", {
    _tag: "Report",
    status: "delivered",
    afterMillis: reportMillis,
  }),
  /** WhatsApp cannot send; an SMS is delivered. */
  noWhatsApp: {
    ending: "106",
    sms: deliver,
    whatsapp: { _tag: "NotSend", message: "WhatsApp did not take the message" },
  },
  /** Taken, and reported on when the test says so. */
  unreported: both("107", { _tag: "NeverReport" }),
} as const satisfies Readonly<Record<string, Treatment>>

/** What a number stands for. */
export type SpecialNumber = keyof typeof special

const prefix = "+8801555"

/** With its plus; all different for `index` from 0 to 999. */
export const specialNumber = (kind: SpecialNumber, index: number): string =>
  `${prefix}${String(index).padStart(3, "0")}${special[kind].ending}`

const treatments = new Map<string, Treatment>(
  Object.values(special).map((treatment) => [treatment.ending, treatment]),
)

const treatmentOf = (to: PhoneNumber): Treatment | undefined =>
  to.startsWith(prefix) ? treatments.get(to.slice(-3)) : undefined

/** Every other number takes every message at once. */
export const behave = ({ channel, to }: Pick<GatewayMessage, "channel" | "to">): Behaviour =>
  treatmentOf(to)?.[channel] ?? deliver

export const isOnWhatsApp = (to: PhoneNumber): boolean => treatmentOf(to) !== special.notOnWhatsApp
