/**
 * The limits of a phone number that was erased. They stay under a keyed digest of the number until their windows are
 * over. Otherwise an erasure would give a caller new requests and guesses.
 */
import * as Guesses from "./Guesses.ts"
import type { OrganizationId } from "../values/Ids.ts"
import { bounds } from "../limits/Limits.ts"
import type { PhoneNumber } from "../values/PhoneNumber.ts"
import * as Recipient from "./Recipient.ts"
import { maxTracked, type SlidingWindow } from "../limits/SlidingWindow.ts"

export interface ErasedRecipient {
  readonly organization: OrganizationId
  /** A keyed digest of the number. */
  readonly digest: string
  readonly sends: SlidingWindow
  readonly guesses: Guesses.Guesses
  /** From then on, the row has no effect. Epoch milliseconds. */
  readonly expiresAt: number
}

/** How long the limits stay, in milliseconds: the longest window. */
export const keptMillis = bounds.windowMillis.max

/** Whether digests of numbers may be in use: the last erasure in the organization is not long ago. */
export const isPossible = (erasedAt: number | undefined, now: number): boolean =>
  erasedAt !== undefined && now < erasedAt + keptMillis

/**
 * The limits of a recipient that is erased; `undefined` if no limit concerns it any more. The wrong codes of its
 * clients count for the number, because clients are forgotten.
 */
export const of = (
  recipient: Recipient.Recipient,
  digest: string,
  now: number,
): ErasedRecipient | undefined => {
  const { clients, organization, sends } = recipient
  const window = [...recipient.guesses.window, ...clients.flatMap((client) => client.window)]
  const guesses: Guesses.Guesses = {
    window: window.toSorted((a, b) => a - b).slice(-maxTracked),
    sinceSuccess: Recipient.sinceSuccess(recipient),
  }
  const earliest = now - keptMillis
  return sends.every((at) => at < earliest) && Guesses.isIdle(guesses, earliest)
    ? undefined
    : { organization, digest, sends, guesses, expiresAt: now + keptMillis }
}

/** The recipient with these limits. Without limits, it is an empty one. */
export const restore = (
  self: ErasedRecipient | undefined,
  organization: OrganizationId,
  phoneNumber: PhoneNumber,
  now: number,
): Recipient.Recipient => {
  const empty = Recipient.empty(organization, phoneNumber)
  if (self === undefined || now >= self.expiresAt) return empty
  return { ...empty, sends: self.sends, guesses: self.guesses }
}

/** The row after its limits were restored. It has no effect any more. */
export const end = (self: ErasedRecipient, now: number): ErasedRecipient => ({
  ...self,
  sends: [],
  guesses: Guesses.none,
  expiresAt: Math.min(self.expiresAt, now),
})
