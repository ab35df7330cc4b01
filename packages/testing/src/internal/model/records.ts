/**
 * The event log and the audit of the naive model, as counts of each kind. Both follow from the model's history, except
 * for the low balances. Calls at once may be charged in any order, so low balances follow from the order in the ledger.
 */
import type { Entry } from "@countersign/core/domain/money/Account"
import type { Reference } from "./reference.ts"
import { openingBrands } from "./scenario.ts"

type Counts = Readonly<Record<string, number>>

/** Leaves kinds out that do not occur, so that they compare with a tally. */
const present = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

/** How often the balance has fallen below a threshold, and how often it has reached it again. */
const turns = (entries: ReadonlyArray<Pick<Entry, "balance">>, threshold: number | null) => {
  const isLow = entries.map(({ balance }) => threshold !== null && balance < threshold)
  const count = (was: boolean) =>
    isLow.filter((low, index) => low !== was && isLow[index - 1] === was).length
  return { lows: count(false), restored: count(true) }
}

export const expectedEvents = (
  reference: Reference,
  org: number,
  entries: ReadonlyArray<Entry>,
): Counts => {
  const model = reference.org(org)
  const requests = reference.requests.filter((request) => request.org === org)
  const { lows, restored } = turns(entries, reference.config.balanceLowAt)
  const settled = model.messages.filter((message) => reference.messageState(message).isFinal)
  return present({
    VerificationSent: model.sentCodes,
    Verified: requests.filter(({ verifiedAt }) => verifiedAt !== undefined).length,
    Failed: model.failedRequests,
    Cancelled: model.cancelledRequests,
    Consumed: requests.filter(({ consumedAt }) => consumedAt !== undefined).length,
    MessageSettled: settled.length,
    Refunded: settled.filter(
      (message) => message.price > 0 && reference.messageState(message).isRefunded,
    ).length,
    ToppedUp: model.bookings.filter(({ tag }) => tag === "topUp").length,
    Adjusted: model.bookings.filter(({ tag }) => tag === "adjust").length,
    BalanceLow: lows,
    BalanceRestored: restored,
    FraudSuspected: model.findings.length,
    KeyCreated: model.keysRevoked.length,
    KeyRevoked: model.keysRevoked.filter((isRevoked) => isRevoked).length,
    BrandChanged: openingBrands[org] ?? 0,
    SettingsChanged: model.settingsChanges,
    NumberErased: model.erased,
    MessageDropped: model.droppedSends,
  })
}

export const expectedAudit = (reference: Reference, org: number): Counts => {
  const { bookings, erased, guessResets, keysRevoked, settingsChanges } = reference.org(org)
  return present({
    "organization.created": 1,
    "organization.changed": settingsChanges,
    "brand.created": openingBrands[org] ?? 0,
    "api_key.created": keysRevoked.length,
    "api_key.revoked": keysRevoked.filter((isRevoked) => isRevoked).length,
    "account.topped_up": bookings.filter(({ tag }) => tag === "topUp").length,
    "account.adjusted": bookings.filter(({ tag }) => tag === "adjust").length,
    "guesses.reset": guessResets,
    "number.erased": erased,
  })
}
