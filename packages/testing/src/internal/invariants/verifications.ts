import type { Verification } from "@countersign/core/domain/Verification"
import type { Bounds, Snapshot } from "./snapshot.ts"

const stateProblems = (verification: Verification, { attempts }: Bounds): ReadonlyArray<string> => {
  const {
    attemptsRemaining,
    createdAt,
    expiresAt,
    requestId: id,
    status,
    verifiedAt,
  } = verification
  const found: Array<string> = []
  if (status === "verified" && (verifiedAt < createdAt || verifiedAt >= expiresAt)) {
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
    // Excludes failed requests, because the time of the failure is not stored.
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
  const byNumber = Map.groupBy(verifications, ({ phoneNumber }) => phoneNumber)
  for (const [number, requests] of byNumber) found.push(...numberProblems(number, requests, bounds))
  const byId = new Map(verifications.map((verification) => [verification.requestId, verification]))
  const { droppedBefore = -Infinity } = bounds
  const carried = messages.filter(
    ({ createdAt, requestId }) =>
      requestId !== null && (createdAt >= droppedBefore || byId.has(requestId)),
  )
  // A request has several messages if its code was sent again. The last one is current.
  const byRequest = Map.groupBy(carried, ({ requestId }) => requestId)
  if (byRequest.size !== verifications.length || byId.size !== verifications.length) {
    found.push(`I23: messages carry codes of ${byRequest.size} requests of ${verifications.length}`)
  }
  for (const [id, carrying] of byRequest) {
    const request = id === null ? undefined : byId.get(id)
    const last = carrying.at(-1)
    if (request?.messageSequence !== last?.sequence || request?.channel !== last?.channel) {
      found.push(
        `I23: message ${last?.sequence} and the request whose code it carries do not agree`,
      )
    }
    for (const { createdAt, sequence, phoneNumber } of carrying) {
      if (request?.phoneNumber !== phoneNumber || createdAt >= request.expiresAt) {
        found.push(`I23: message ${sequence} is not for the request whose code it carries`)
      }
    }
  }
  return found
}
