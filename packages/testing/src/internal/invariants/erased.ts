import { isErased } from "@countersign/core/domain/values/PhoneNumber"
import type { Snapshot } from "./snapshot.ts"

/** Whether a row or an event no longer contains a number. */
export const hasNoNumber = (row: object): boolean =>
  "phoneNumber" in row &&
  typeof row.phoneNumber === "string" &&
  row.phoneNumber.startsWith("erased:")

/** Whether erased requests may be missing: they are found through their first message, which may be removed. */
export const mayHideRequests = ({ account, events }: Snapshot): boolean =>
  account.firstMessage > 1 && events.some(({ _tag }) => _tag === "NumberErased")

/** A row without its number contains nothing else that tells whose it was. */
export const erasureProblems = ({
  events,
  messages,
  reports,
  verifications,
}: Snapshot): ReadonlyArray<string> => {
  const found: Array<string> = []
  const erased = messages.filter(({ phoneNumber }) => isErased(phoneNumber))
  for (const { dueAt, error, followAt, gatewayId, hold, sequence, text, vendorCode } of erased) {
    if (text !== "" || gatewayId !== null || error !== null || vendorCode !== null) {
      found.push(`I37: message ${sequence} is erased and still tells something`)
    }
    if (dueAt !== null || followAt !== null || hold === "open") {
      found.push(`I37: message ${sequence} is erased and has work left`)
    }
  }
  const sequences = new Set(erased.map(({ sequence }) => sequence))
  for (const { detail, evidence, gatewayId, messageSequence } of reports) {
    if (!sequences.has(messageSequence)) continue
    if (detail !== null || evidence !== null || gatewayId !== null) {
      found.push(`I37: a report on the erased message ${messageSequence} still tells something`)
    }
  }
  const requests = verifications.filter(({ phoneNumber }) => isErased(phoneNumber))
  for (const { metadata, prefix, purpose, requestId, sealed } of requests) {
    if (metadata !== null || prefix !== null || purpose !== null || sealed !== null) {
      found.push(`I37: request ${requestId} is erased and still tells something`)
    }
  }
  for (const event of events) {
    if (!hasNoNumber(event) || !("metadata" in event)) continue
    if (event.metadata !== null || event.purpose !== null) {
      found.push(`I37: event ${event.sequence} is erased and still tells something`)
    }
  }
  return found
}
