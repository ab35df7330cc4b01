import type { Verification } from "@countersign/core/Verification"
import type { Bounds, Snapshot } from "../../Invariants.ts"

const stateProblems = (verification: Verification, { attempts }: Bounds): ReadonlyArray<string> => {
  const { attemptsRemaining, createdAt, expiresAt, id, status, verifiedAt } = verification
  const found: Array<string> = []
  if ((status === "verified") !== (verifiedAt !== null)) {
    found.push(`I13: request ${id} is ${status} and was verified at ${verifiedAt}`)
  }
  if (verifiedAt !== null && (verifiedAt < createdAt || verifiedAt >= expiresAt)) {
    found.push(`I14: request ${id} was verified outside of its time`)
  }
  if (attemptsRemaining < 0 || attemptsRemaining > attempts) {
    found.push(`I11: request ${id} has ${attemptsRemaining} attempts left`)
  }
  if (attemptsRemaining === 0 && status !== "failed") {
    found.push(`I11: request ${id} has no attempts left and is ${status}`)
  }
  return found
}

const numberProblems = (
  number: string,
  requests: ReadonlyArray<Verification>,
  { pendingPerNumber, sendsPerNumber }: Bounds,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const { createdAt: at } of requests) {
    const inWindow = requests.filter(
      ({ createdAt }) => createdAt > at - sendsPerNumber.windowMillis && createdAt <= at,
    )
    if (inWindow.length > sendsPerNumber.max) {
      found.push(`I15: ${inWindow.length} requests for ${number} in the window that ends at ${at}`)
    }
    // When a request failed is not written down: those that did are left out.
    const pending = requests.filter(
      ({ createdAt, expiresAt, status, verifiedAt }) =>
        createdAt <= at && at < expiresAt && status !== "failed" && (verifiedAt ?? Infinity) > at,
    )
    if (pending.length > pendingPerNumber) {
      found.push(`I16: ${pending.length} requests for ${number} are pending at ${at}`)
    }
  }
  return found
}

export const verificationProblems = (
  { messages, verifications }: Snapshot,
  bounds: Bounds,
): ReadonlyArray<string> => {
  const found = verifications.flatMap((verification) => stateProblems(verification, bounds))
  const byNumber = Map.groupBy(verifications, ({ number }) => number)
  for (const [number, requests] of byNumber) found.push(...numberProblems(number, requests, bounds))
  const byId = new Map(verifications.map((verification) => [verification.id, verification]))
  const { droppedBefore = -Infinity } = bounds
  const carried = messages.filter(
    ({ createdAt, verification }) =>
      verification !== null && (createdAt >= droppedBefore || byId.has(verification)),
  )
  if (carried.length !== verifications.length) {
    found.push(`I23: ${carried.length} messages carry codes of ${verifications.length} requests`)
  }
  if (byId.size !== verifications.length)
    found.push("I23: two messages carry the code of one request")
  for (const { number, recipient, verification } of carried) {
    const request = verification === null ? undefined : byId.get(verification)
    if (request?.message !== number || request.number !== recipient) {
      found.push(`I23: message ${number} and the request whose code it carries do not agree`)
    }
  }
  return found
}
