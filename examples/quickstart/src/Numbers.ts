/**
 * How the simulated gateway treats the numbers that stand for something going
 * wrong. Every other number is treated as `Delivery` says.
 */
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import type { Behaviour } from "@countersign/core/adapters/SimulatedGateway"

export interface SpecialNumber {
  /** With its plus. */
  readonly number: string
  /** For people, one line. */
  readonly meaning: string
  /** `undefined`: as any other number. */
  readonly sms?: Behaviour
  readonly whatsapp: Behaviour
  readonly isOnWhatsApp: boolean
}

/** When a report follows that does not come at once. */
export const reportMillis = 1_000

const both = (behaviour: Behaviour) => ({ sms: behaviour, whatsapp: behaviour, isOnWhatsApp: true })

export const specialNumbers: ReadonlyArray<SpecialNumber> = [
  {
    number: "+8801555000101",
    meaning: "refused by the carrier",
    ...both({ _tag: "Reject", message: "The carrier refused the message" }),
  },
  {
    number: "+8801555000102",
    meaning: "not on WhatsApp; an SMS as to any other number",
    whatsapp: { _tag: "Reject", message: "The recipient is not on WhatsApp" },
    isOnWhatsApp: false,
  },
  {
    number: "+8801555000103",
    meaning: "taken, and reported undelivered a second later",
    ...both({ _tag: "Report", status: "undelivered", afterMillis: reportMillis }),
  },
  {
    number: "+8801555000104",
    meaning: "never answers, so it is unknown whether it was sent",
    ...both({ _tag: "NeverAnswer" }),
  },
  {
    number: "+8801555000105",
    meaning: "taken, and reported delivered a second later",
    ...both({ _tag: "Report", status: "delivered", afterMillis: reportMillis }),
  },
  {
    number: "+8801555000106",
    meaning: "WhatsApp cannot send; an SMS as to any other number",
    whatsapp: { _tag: "NotSend", message: "WhatsApp did not take the message" },
    isOnWhatsApp: true,
  },
  {
    number: "+8801555000107",
    meaning: "taken, and reported on when a user presses a button in the inbox",
    ...both({ _tag: "NeverReport" }),
  },
]

const special = (to: string): SpecialNumber | undefined =>
  specialNumbers.find(({ number }) => number === to)

export const behave = (
  { channel, phoneNumber }: Pick<GatewayMessage, "channel" | "phoneNumber">,
  ordinary: Behaviour,
): Behaviour => special(phoneNumber)?.[channel] ?? ordinary

export const isOnWhatsApp = (to: string): boolean => special(to)?.isOnWhatsApp ?? true
