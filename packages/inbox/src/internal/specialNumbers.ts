import type { Behaviour } from "@countersign/core/adapters/Simulation"
import type { SpecialNumber } from "./types.ts"

/** When a report follows that does not come at once. */
const reportMillis = 1_000

const both = (behaviour: Behaviour) => ({ sms: behaviour, whatsapp: behaviour })

/** The numbers that stand for a failure. Every other number accepts every message. */
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
  },
  {
    number: "+8801555000107",
    meaning: "taken, and reported on when a user presses a button in the inbox",
    ...both({ _tag: "NeverReport" }),
  },
]
