import { parts } from "@countersign/core/decide/OrganizationChange"
import type { Message } from "@countersign/core/domain/messages/Message"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import { hasNoNumber, mayHideRequests } from "./erased.ts"
import { recordRegressions } from "./records.ts"
import type { Bounds, Snapshot } from "./snapshot.ts"

const json = (value: unknown): string => JSON.stringify(value)

/** Order of the statuses. A message never moves to a lower one. */
const rank: Record<Message["status"], number> = {
  pending: 0,
  unknown: 1,
  accepted: 2,
  delivered: 3,
  undelivered: 3,
  failed: 3,
  rejected: 3,
}

const fixedOfMessage = ({ charge, createdAt, id, phoneNumber, requestId, text }: Message) =>
  json({ charge, createdAt, id, recipient: phoneNumber, text, requestId })

/** The row as it would be erased, if `after` is: an erasure is the only change of what is fixed. */
const erasedLike = <A extends object>(before: A, after: object | undefined, changed: object): A =>
  after !== undefined && hasNoNumber(after) ? { ...before, ...changed } : before

const messageRegressions = (before: Message, after: Message | undefined): ReadonlyArray<string> => {
  const { sequence } = before
  if (after === undefined) return [`log: message ${sequence} is gone`]
  const found: Array<string> = []
  const { phoneNumber } = after
  if (
    fixedOfMessage(erasedLike(before, after, { phoneNumber, text: "" })) !== fixedOfMessage(after)
  )
    found.push(`log: message ${sequence} was rewritten`)
  const isClosed = before.dueAt === null
  const kept =
    json([before.status, before.hold, before.dueAt]) ===
    json([after.status, after.hold, after.dueAt])
  if (isClosed && !kept)
    found.push(`I20: message ${sequence} was ${before.status} for good and is ${after.status}`)
  // At its deadline, an accepted message becomes permanently unknown.
  if (!isClosed && after.dueAt !== null && rank[after.status] < rank[before.status]) {
    found.push(`I20: message ${sequence} went from ${before.status} back to ${after.status}`)
  }
  if (after.dispatchNumber < before.dispatchNumber)
    found.push(`I7: message ${sequence} went back to an older dispatch`)
  return found
}

const fixedOfVerification = (request: Verification) => {
  const { digest, metadata, pepper, phoneNumber, prefix, purpose } = request
  return json([[...digest], metadata, pepper, phoneNumber, prefix, purpose])
}

const verificationRegressions = (
  before: Verification,
  after: Verification | undefined,
): ReadonlyArray<string> => {
  const { requestId: id } = before
  if (after === undefined) return [`I13: request ${id} is gone`]
  const found: Array<string> = []
  if (
    before.status !== "pending" &&
    (after.status !== before.status || after.verifiedAt !== before.verifiedAt)
  ) {
    found.push(`I13: request ${id} was ${before.status} and is ${after.status}`)
  }
  const { phoneNumber } = after
  const erased = { phoneNumber, metadata: null, prefix: null, purpose: null }
  if (fixedOfVerification(erasedLike(before, after, erased)) !== fixedOfVerification(after)) {
    found.push(`I13: request ${id} was rewritten`)
  }
  if (before.sealed === null && after.sealed !== null) {
    found.push(`I30: the code of request ${id} is there again`)
  }
  if (before.consumedAt !== null && after.consumedAt !== before.consumedAt) {
    found.push(`I31: request ${id} was used up at ${before.consumedAt}, then ${after.consumedAt}`)
  }
  if (after.resends < before.resends) found.push(`I32: request ${id} got resends back`)
  const earlier = [...before.earlierMessages, before.messageSequence]
  const later = [...after.earlierMessages, after.messageSequence]
  if (json(later.slice(0, earlier.length)) !== json(earlier)) {
    found.push(`I23: request ${id} has lost a message`)
  }
  if (after.attemptsRemaining > before.attemptsRemaining)
    found.push(`I11: request ${id} got attempts back`)
  if (after.createdAt !== before.createdAt || after.expiresAt !== before.expiresAt) {
    found.push(`I14: request ${id} has another time`)
  }
  return found
}

/** The events as an erasure would have changed those that are erased later. */
const asErased = (
  before: Snapshot["events"],
  after: Snapshot["events"],
): ReadonlyArray<Snapshot["events"][number]> => {
  const later = new Map(after.map((event) => [event.sequence, event]))
  return before.map((event) => {
    const found = later.get(event.sequence)
    const phoneNumber = found !== undefined && "phoneNumber" in found ? found.phoneNumber : ""
    return erasedLike(event, found, { phoneNumber, metadata: null, purpose: null })
  })
}

export const regressionsIn = (
  before: Snapshot,
  after: Snapshot,
  { droppedBefore = -Infinity }: Bounds,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const sameEntries = before.entries.every(
    (entry, index) => json(entry) === json(after.entries[index]),
  )
  if (!sameEntries) found.push("I3: an entry was rewritten")
  if (after.account.lastAt < before.account.lastAt) found.push("I27: time went back")
  if (
    after.organization.version === before.organization.version &&
    json(parts(after.organization)) !== json(parts(before.organization))
  ) {
    found.push("I25: settings have changed and not their version")
  }
  if (after.account.firstMessage < before.account.firstMessage) {
    found.push("log: dropped messages came back")
  }
  const messages = new Map(after.messages.map((message) => [message.sequence, message]))
  for (const message of before.messages) {
    if (message.sequence < after.account.firstMessage) continue
    found.push(...messageRegressions(message, messages.get(message.sequence)))
  }
  found.push(
    ...recordRegressions("I35: event", asErased(before.events, after.events), after.events, {
      first: after.account.firstEvent,
      before: before.account.lastEvent,
      after: after.account.lastEvent,
    }),
    ...recordRegressions("I36: entry", before.audit, after.audit, {
      first: after.account.firstAudit,
      before: before.account.lastAudit,
      after: after.account.lastAudit,
    }),
  )
  const reports = new Map(
    after.reports.map((one) => [`${one.messageSequence} ${one.position}`, one]),
  )
  for (const report of before.reports) {
    const { messageSequence, position } = report
    if (messageSequence < after.account.firstMessage) continue
    const erased = { gatewayId: null, detail: null, evidence: null }
    const same = erasedLike(report, messages.get(messageSequence), erased)
    if (json(reports.get(`${messageSequence} ${position}`)) !== json(same))
      found.push(`reports: number ${position} on message ${messageSequence} was rewritten`)
  }
  const verifications = new Map(
    after.verifications.map((verification) => [verification.requestId, verification]),
  )
  for (const verification of before.verifications) {
    const mayBeGone =
      verification.createdAt < droppedBefore ||
      mayHideRequests(after) ||
      verification.messageSequence < after.account.firstMessage
    if (mayBeGone && !verifications.has(verification.requestId)) continue
    found.push(...verificationRegressions(verification, verifications.get(verification.requestId)))
  }
  return found
}
