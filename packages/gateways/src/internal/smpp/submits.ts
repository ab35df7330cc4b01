/**
 * Converts a message of the engine to the messages that SMPP submits.
 */
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Redacted from "effect/Redacted"
import { type Joining, partsOf } from "./parts.ts"
import type { Address, ShortMessage } from "./pdu.ts"

/** A subset of the adapter's options. */
export interface SubmitOptions {
  readonly serviceType?: string | undefined
  readonly from?: string | undefined
  readonly shortCode?: { readonly ton: number; readonly npi: number } | undefined
  readonly joining?: Joining | undefined
  readonly receipts?: "every part" | "first part" | "none" | undefined
  readonly validitySeconds?: number | undefined
}

const international = { ton: 1, npi: 1 } as const
const national = { ton: 2, npi: 1 } as const
const networkSpecific = { ton: 3, npi: 0 } as const
const alphanumeric = { ton: 5, npi: 0 } as const

/** Every number in E.164 form is longer. */
const longestShortCode = 6

/** Returns a sender's address: a name, a short code, a national number, or an international number. */
const addressOf = (sender: string, shortCode: SubmitOptions["shortCode"]): Address => {
  const digits = sender.replace(/^\+/, "")
  if (!/^\d+$/.test(digits)) return { ...alphanumeric, address: sender }
  if (digits.length <= longestShortCode) {
    return { ...(shortCode ?? networkSpecific), address: digits }
  }
  return { ...(digits.startsWith("0") ? national : international), address: digits }
}

const secondsIn = { hour: 3_600, minute: 60 } as const
const longestValidity = 99 * secondsIn.hour

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** Formats a relative time: `000000hhmmss000R`. */
const validityOf = (seconds: number | undefined): string => {
  if (seconds === undefined) return ""
  const whole = Math.max(1, Math.min(longestValidity, Math.floor(seconds)))
  const hours = Math.floor(whole / secondsIn.hour)
  const minutes = Math.floor((whole % secondsIn.hour) / secondsIn.minute)
  return `000000${twoDigits(hours)}${twoDigits(minutes)}${twoDigits(whole % secondsIn.minute)}000R`
}

/** The messages to submit for a text. */
export interface Submits {
  readonly segments: number
  readonly messages: ReadonlyArray<ShortMessage>
}

/** Makes the messages that carry the text; `undefined` if there are too many parts. */
export const submitsOf = (
  options: SubmitOptions,
  { sender, text, to }: GatewayMessage,
  reference: number,
): Submits | undefined => {
  const made = partsOf(Redacted.value(text), options.joining ?? "udh", reference)
  if (made === undefined) return undefined
  const { receipts = "every part" } = options
  return {
    segments: made.segments,
    messages: made.parts.map((part, index) => ({
      command: "submit_sm",
      serviceType: options.serviceType ?? "",
      source: addressOf(options.from ?? sender, options.shortCode),
      destination: { ...international, address: PhoneNumber.digits(to) },
      protocolId: 0,
      priority: 0,
      scheduleAt: "",
      validity: validityOf(options.validitySeconds),
      registeredDelivery:
        receipts === "every part" || (receipts === "first part" && index === 0) ? 1 : 0,
      replaceIfPresent: 0,
      defaultMessageId: 0,
      ...part,
    })),
  }
}
