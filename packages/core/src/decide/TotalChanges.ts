/**
 * The changes of the totals by a decision. A change of a row takes it out of one total and adds it to another. So the
 * totals of a slot always equal a recount of its rows.
 */
import type { View, Writes } from "./Decision.ts"
import type { BatchTotal } from "../domain/outbox/Batch.ts"
import type { QueuedSend } from "../domain/outbox/QueuedSend.ts"
import type { Entry } from "../domain/money/Account.ts"
import type { OrganizationId } from "../domain/values/Ids.ts"
import type { Message } from "../domain/messages/Message.ts"
import * as Money from "../domain/values/Money.ts"
import { networkOf } from "../domain/values/Networks.ts"
import { countryOf, type PhoneNumber } from "../domain/values/PhoneNumber.ts"
import { type Count, outcomeOf } from "../domain/verifications/Refusal.ts"
import type { Report } from "../domain/messages/MessageReport.ts"
import { delayOf, slotOf, type Total } from "../domain/money/Total.ts"
import type { Verification } from "../domain/verifications/Verification.ts"

const none: ReadonlyArray<Total> = []
const { zero } = Money

const isRefunded = ({ hold }: Message): boolean => hold === "released"

type Place = Pick<Total, "country" | "network">

const placeOf = (phoneNumber: PhoneNumber): Place => ({
  country: countryOf(phoneNumber) ?? "",
  network: networkOf(phoneNumber) ?? "",
})

const messageTotal = (self: Message, place: Place, sign: 1 | -1): Total => ({
  organization: self.organization,
  at: slotOf(self.createdAt),
  kind: "messages",
  channel: self.channel,
  gateway: self.gateway,
  ...place,
  outcome: self.status,
  reason: self.failureReason ?? "",
  count: sign,
  amount: Money.fromUnits(sign * self.charge),
  refunded: isRefunded(self) ? Money.fromUnits(sign * self.charge) : zero,
})

/** A message, and the code in it that has arrived. */
const ofOne = (self: Message, place: Place, sign: 1 | -1): ReadonlyArray<Total> => {
  const own = messageTotal(self, place, sign)
  if (self.requestId === null || self.status !== "delivered") return [own]
  const { at, organization } = own
  const { country } = place
  const outcome = "delivered"
  return [own, { ...counted, organization, at, kind: "requests", country, outcome, count: sign }]
}

/** A message counts from the outcome of its first dispatch on, so a send writes its totals once. */
export const ofMessage = (before: Message | undefined, after: Message): ReadonlyArray<Total> => {
  if (after.status === "pending") return none
  if (before === undefined || before.status === "pending") {
    return ofOne(after, placeOf(after.phoneNumber), 1)
  }
  if (
    before.status === after.status &&
    before.gateway === after.gateway &&
    before.failureReason === after.failureReason &&
    before.createdAt === after.createdAt &&
    isRefunded(before) === isRefunded(after)
  ) {
    return none
  }
  const place = placeOf(after.phoneNumber)
  return [...ofOne(before, place, -1), ...ofOne(after, place, 1)]
}

/** How long a message took that this report found delivered. */
const ofDelivery = (before: Message, after: Message, report: Report): ReadonlyArray<Total> => {
  if (before.status === "delivered" || after.status !== "delivered") return none
  const delivered = messageTotal(after, placeOf(after.phoneNumber), 1)
  const outcome = delayOf(report.receivedAt - after.createdAt)
  return [{ ...delivered, kind: "deliveries", outcome, reason: "", amount: zero }]
}

const ofRequest = (before: Verification | undefined, after: Verification): ReadonlyArray<Total> => {
  if (before === undefined) return [requestTotal(after, "opened")]
  const ended =
    after.status !== "pending" && after.status !== before.status
      ? [requestTotal(after, after.status)]
      : none
  return after.attemptsRemaining < before.attemptsRemaining
    ? [requestTotal(after, "wrong_code"), ...ended]
    : ended
}

/** A count of something that has no amount and no gateway. */
const counted = {
  channel: "",
  gateway: "",
  country: "",
  network: "",
  reason: "",
  count: 1,
  amount: zero,
  refunded: zero,
} as const

const requestTotal = (
  { createdAt, organization, phoneNumber }: Verification,
  outcome: "opened" | "wrong_code" | "verified" | "failed",
): Total => ({
  ...counted,
  organization,
  at: slotOf(createdAt),
  kind: "requests",
  country: countryOf(phoneNumber) ?? "",
  outcome,
})

const ofEntry = ({ amount, at, kind, organization }: Entry): ReadonlyArray<Total> =>
  kind === "top-up" || kind === "adjustment"
    ? [{ ...counted, organization, at: slotOf(at), kind: "bookings", outcome: kind, amount }]
    : none

const ofRefused = (
  organization: OrganizationId,
  { at, channel, country, count, ...cause }: Count,
): Total => ({
  ...counted,
  organization,
  at: slotOf(at),
  kind: "refusals",
  channel: channel ?? "",
  country,
  outcome: outcomeOf(cause),
  count,
})

const batchTotal = (
  { charge, hold, organization, status: outcome }: Message,
  batch: string,
  sign: 1 | -1,
): BatchTotal => ({
  organization,
  batch,
  outcome,
  count: sign,
  amount: Money.fromUnits(sign * charge),
  refunded: hold === "released" ? Money.fromUnits(sign * charge) : zero,
})

const dropTotal = ({ end, organization, queue: batch }: QueuedSend): ReadonlyArray<BatchTotal> =>
  batch === "" || end === null || end === "sent"
    ? []
    : [{ organization, batch, outcome: end, count: 1, amount: zero, refunded: zero }]

const noBatch: ReadonlyArray<BatchTotal> = []

/** The rows to add to the totals of batches. A message counts from its charge on, a queued one once it has ended. */
export const ofBatches = (
  view: Pick<View, "message">,
  { message, queued, queuedRows }: Writes,
): ReadonlyArray<BatchTotal> => {
  const dropped = queued === undefined ? noBatch : dropTotal(queued)
  const ended = queuedRows === undefined ? dropped : [...dropped, ...queuedRows.flatMap(dropTotal)]
  if (message === undefined || message.batch === null) return ended
  const { batch } = message
  const before = view.message?.sequence === message.sequence ? view.message : undefined
  if (before?.status === message.status && isRefunded(before) === isRefunded(message)) return ended
  const taken = before === undefined ? noBatch : [batchTotal(before, batch, -1)]
  return [...ended, ...taken, batchTotal(message, batch, 1)]
}

/** The rows to add to the totals for a decision with these writes. */
export const of = (
  view: Pick<View, "message" | "verification">,
  { account, entries, message, refused, report, verification }: Writes,
): ReadonlyArray<Total> => {
  if (refused !== undefined && account !== undefined) {
    return refused.map((one) => ofRefused(account.organization, one))
  }
  if (message === undefined && verification === undefined && entries === undefined) return none
  const found: Array<Total> = []
  if (message !== undefined) {
    // A message that follows another is new.
    const before = view.message?.sequence === message.sequence ? view.message : undefined
    found.push(...ofMessage(before, message))
    if (before !== undefined && report !== undefined) {
      found.push(...ofDelivery(before, message, report))
    }
  }
  if (verification !== undefined) found.push(...ofRequest(view.verification, verification))
  for (const entry of entries ?? []) found.push(...ofEntry(entry))
  return found
}
