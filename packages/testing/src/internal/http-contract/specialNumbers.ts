/**
 * Phone numbers that simulate failures, as in the quickstart. The last three digits of `+8801555......`
 * select the failure.
 */
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
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

/** Delay of the gateway's own reports, in milliseconds. */
const reportMillis = 20

const special = {
  /** The carrier rejects it. */
  refused: both("101", { _tag: "Reject", message: "The carrier refused the message" }),
  /** Not on WhatsApp. An SMS is delivered. */
  notOnWhatsApp: {
    ending: "102",
    sms: deliver,
    whatsapp: { _tag: "Reject", message: "The recipient is not on WhatsApp" },
  },
  /** Accepted, and reported undelivered soon after. */
  undelivered: both("103", {
    _tag: "Report",
    status: "undelivered",
    afterMillis: reportMillis,
  }),
  /** Never answers, so the outcome is unknown. */
  silent: both("104", { _tag: "NeverAnswer" }),
  /** WhatsApp cannot send. An SMS is delivered. */
  noWhatsApp: {
    ending: "106",
    sms: deliver,
    whatsapp: { _tag: "NotSend", message: "WhatsApp did not take the message" },
  },
  /** Accepted. The test triggers the report. */
  unreported: both("107", { _tag: "NeverReport" }),
} as const satisfies Readonly<Record<string, Treatment>>

/** The kind of failure that a phone number simulates. */
export type SpecialNumber = keyof typeof special

const prefix = "+8801555"

/** In E.164 form with the plus; distinct for `index` from 0 to 999. */
export const specialNumber = (kind: SpecialNumber, index: number): string =>
  `${prefix}${String(index).padStart(3, "0")}${special[kind].ending}`

const treatments = new Map<string, Treatment>(
  Object.values(special).map((treatment) => [treatment.ending, treatment]),
)

const treatmentOf = (to: PhoneNumber): Treatment | undefined =>
  to.startsWith(prefix) ? treatments.get(to.slice(-3)) : undefined

/** Returns the gateway's behaviour. It accepts every message to any other phone number at once. */
export const behave = ({
  channel,
  phoneNumber,
}: Pick<GatewayMessage, "channel" | "phoneNumber">): Behaviour =>
  treatmentOf(phoneNumber)?.[channel] ?? deliver

export const isOnWhatsApp = (to: PhoneNumber): boolean => treatmentOf(to) !== special.notOnWhatsApp
