import { type RequestId, sortable } from "@countersign/core/domain/values/Ids"
import type { Message } from "@countersign/core/domain/messages/Message"
import { isErased } from "@countersign/core/domain/values/PhoneNumber"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import { mayHideRequests } from "./erased.ts"
import type { Bounds, Snapshot } from "./snapshot.ts"

const stateProblems = (verification: Verification, bounds: Bounds): ReadonlyArray<string> => {
  const { attempts } = bounds
  const { attemptsRemaining, createdAt, expiresAt, status, verifiedAt } = verification
  const { consumedAt, earlierMessages, requestId: id, resends, sealed, sentAt } = verification
  const found: Array<string> = []
  if (status === "verified" && (verifiedAt < createdAt || verifiedAt >= expiresAt)) {
    found.push(`I14: request ${id} was verified outside of its time`)
  }
  if (attemptsRemaining < 0 || attemptsRemaining > attempts) {
    found.push(`I11: request ${id} has ${attemptsRemaining} attempts left`)
  }
  if (attemptsRemaining === 0 && status === "pending") {
    found.push(`I11: request ${id} is pending without attempts`)
  }
  if (status !== "pending" && sealed !== null) {
    found.push(`I30: request ${id} is ${status} and its code is still there`)
  }
  if (consumedAt !== null && (verifiedAt === null || consumedAt < verifiedAt)) {
    found.push(`I31: request ${id} was used up before it was verified`)
  }
  if (resends < 0 || resends > bounds.resends || resends > earlierMessages.length) {
    found.push(`I32: request ${id} was sent again ${resends} times`)
  }
  if (sentAt < createdAt || sentAt >= expiresAt) {
    found.push(`I14: the code of request ${id} was sent outside of its time`)
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

/** Whether a request has to be there. Its id begins with its time. */
const isKept = (id: RequestId, { droppedBefore = -Infinity }: Bounds): boolean =>
  Number.isFinite(droppedBefore)
    ? id >= sortable("vrf", droppedBefore, new Uint8Array())
    : droppedBefore < 0

/** A request has several messages if its code was sent again. The last one is current. */
const carrierProblems = (
  request: Verification | undefined,
  carrying: ReadonlyArray<Message>,
  firstMessage: number,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const last = carrying.at(-1)
  const wanted = request ? [...request.earlierMessages, request.messageSequence] : []
  const logged = wanted.filter((sequence) => sequence >= firstMessage)
  const numbers = carrying.map(({ sequence }) => sequence)
  if (numbers.join() !== logged.join() || request?.channel !== last?.channel) {
    found.push(`I23: messages ${numbers.join()} and the request whose code they carry do not agree`)
  }
  for (const { createdAt, sequence, phoneNumber } of carrying) {
    // A message that has work left is erased later than its request.
    const isSame =
      request?.phoneNumber === phoneNumber || (request && isErased(request.phoneNumber))
    if (isSame !== true || (request && createdAt >= request.expiresAt)) {
      found.push(`I23: message ${sequence} is not for the request whose code it carries`)
    }
  }
  return found
}

export const verificationProblems = (snapshot: Snapshot, bounds: Bounds): ReadonlyArray<string> => {
  const { account, messages, verifications } = snapshot
  const found = verifications.flatMap((verification) => stateProblems(verification, bounds))
  const byNumber = Map.groupBy(verifications, ({ phoneNumber }) => phoneNumber)
  for (const [number, requests] of byNumber) {
    // Numbers that were erased cannot be told apart.
    if (!isErased(number)) found.push(...numberProblems(number, requests, bounds))
  }
  const byId = new Map(verifications.map((verification) => [verification.requestId, verification]))
  const isAnyHidden = mayHideRequests(snapshot)
  const carried = messages.filter(
    ({ requestId }) =>
      requestId !== null && (byId.has(requestId) || (!isAnyHidden && isKept(requestId, bounds))),
  )
  const byRequest = Map.groupBy(carried, ({ requestId }) => requestId)
  if (byRequest.size !== verifications.length || byId.size !== verifications.length) {
    found.push(`I23: messages carry codes of ${byRequest.size} requests of ${verifications.length}`)
  }
  for (const [id, carrying] of byRequest) {
    const request = id === null ? undefined : byId.get(id)
    found.push(...carrierProblems(request, carrying, account.firstMessage))
  }
  return found
}
