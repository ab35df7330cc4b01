/**
 * The outbox of the naive model: each queued send ends once, and it is answered as the call that it stands for.
 */
import type { End } from "@countersign/core/domain/outbox/QueuedSend"
import type { ModelMessage } from "./messageState.ts"
import type { Reference } from "./reference.ts"
import type { Action } from "./scenario.ts"

/** A send that a host has queued. */
export interface ModelQueued extends Pick<
  Action<"queue">,
  "org" | "person" | "isCode" | "orderKey"
> {
  readonly createdAt: number
  readonly expiresAt: number | null
  /** When it is to be sent; 0: at once. */
  sendAt: number
  dueAt: number
  end: End | undefined
  endedAt: number
  /** Why it was refused. */
  refusal: string | undefined
  /** The message that it has become. */
  message: ModelMessage | undefined
  /** Whether its number was erased before it was sent. */
  isErased: boolean
  /** Whether retention has dropped it. */
  isDropped: boolean
}

/** For how long a queued code is valid, in seconds. */
export const codeSeconds = 300

export const queuedText = "from the outbox"

export const queue = (reference: Reference, action: Action<"queue">): string => {
  const { delay, expiry, isCode, orderKey, org, person } = action
  if (!reference.isPerson(person)) return "InvalidRequest phoneNumber"
  const { now } = reference
  const dueAt = isCode || delay === 0 ? 0 : now + delay
  const expiresAt = expiry === undefined ? null : now + delay + expiry
  reference.queued.push({
    org,
    person,
    isCode,
    orderKey,
    createdAt: now,
    sendAt: dueAt,
    dueAt,
    expiresAt: isCode ? now + codeSeconds * 1_000 : expiresAt,
    end: undefined,
    endedAt: 0,
    refusal: undefined,
    message: undefined,
    isErased: false,
    isDropped: false,
  })
  return "queued"
}

const end = (reference: Reference, one: ModelQueued, how: End): void => {
  const organization = reference.org(one.org)
  one.end = how
  one.endedAt = reference.now
  if (how === "sent") return
  if (!one.isCode) organization.droppedSends += 1
  else if (how === "cancelled") organization.cancelledRequests += 1
  else organization.failedRequests += 1
}

/** Ends it if it is too late. Returns whether it has ended. */
const hasEnded = (reference: Reference, one: ModelQueued): boolean => {
  const isLate = one.expiresAt !== null && one.expiresAt <= reference.now
  if (one.end === undefined && isLate) end(reference, one, "expired")
  return one.end !== undefined
}

/** Makes the call of a queued send. Returns its answer. */
const call = (reference: Reference, { isCode, org, person }: ModelQueued): string => {
  const common = {
    node: 0,
    org,
    person,
    channel: "sms",
    brand: undefined,
    key: undefined,
    count: 1,
  } as const
  return isCode
    ? reference.verify({
        ...common,
        tag: "verify",
        codeLength: undefined,
        expirySeconds: codeSeconds,
        purpose: undefined,
        client: undefined,
        known: undefined,
      })
    : reference.message({ ...common, tag: "message", text: queuedText, address: undefined })
}

/** For how long a message waits for the limits. */
const limitedMillis = 86_400_000

/** Sends it, or refuses it. A message that is limited waits for a day if a node has taken it. */
const send = (reference: Reference, one: ModelQueued, isTaken: boolean): string => {
  const { messages } = reference.org(one.org)
  const sequence = messages.length + 1
  const answer = call(reference, one)
  one.message = messages[sequence - 1]
  const wait = /^RateLimited (\d+)$/.exec(answer)?.[1]
  const waited = reference.now - Math.max(one.createdAt, one.sendAt)
  if (one.message !== undefined) end(reference, one, "sent")
  else if (wait !== undefined && isTaken && !one.isCode && waited < limitedMillis) {
    one.dueAt = reference.now + Number(wait) * 1_000
  } else {
    one.refusal = answer
    end(reference, one, "refused")
  }
  return answer
}

/** The messages that carry a queued send, if they and its request can be found: of a code, resends follow. */
const carriersOf = (
  reference: Reference,
  { isCode, message, org }: ModelQueued,
): ReadonlyArray<ModelMessage> => {
  if (message === undefined || message.sequence <= reference.org(org).dropped) return []
  if (!isCode) return [message]
  const request = reference.requests.find(({ earlier, message: last }) =>
    [...earlier, last].includes(message),
  )
  return request === undefined || request.isDropped ? [] : [...request.earlier, request.message]
}

/** The first message that may have arrived, or the last one. */
const carrierOf = (reference: Reference, one: ModelQueued): ModelMessage | undefined => {
  const all = carriersOf(reference, one)
  return all.find((message) => !isUnsent(reference, message)) ?? all.at(-1)
}

const isUnsent = (reference: Reference, message: ModelMessage): boolean =>
  ["failed", "rejected"].includes(reference.messageState(message).status)

/** Whether its answer is still open: another message follows. */
export const isAnswerOpen = (reference: Reference, one: ModelQueued): boolean => {
  const carrier = one.end === "sent" ? carrierOf(reference, one) : undefined
  if (carrier === undefined) return false
  const { status } = reference.messageState(carrier)
  return status === "pending" || (isUnsent(reference, carrier) && carrier.followAt !== null)
}

/** The answer to a call whose message is in the log, from the state of the message. */
const answerOf = (reference: Reference, one: ModelQueued): string => {
  const carrier = carrierOf(reference, one)
  if (carrier === undefined) return "SendingFailed unknown"
  if (isUnsent(reference, carrier)) return "SendingFailed failed"
  const channel = carrier.logChannel === "whatsapp" ? "whatsapp" : "sms"
  // A code that may have arrived counts as sent.
  if (one.isCode) return `sent by ${channel}, expires in ${codeSeconds}`
  return reference.messageState(carrier).status === "unknown"
    ? "SendingFailed unknown"
    : `sent by ${channel}, ${reference.balance(one.org)} left`
}

export const dispatch = (reference: Reference, one: ModelQueued): string => {
  if (one.isDropped) return one.isCode ? "RequestNotFound" : "MessageNotFound"
  if (!hasEnded(reference, one)) return send(reference, one, false)
  return one.end === "sent" ? answerOf(reference, one) : (one.refusal ?? "NotQueued")
}

/** Cancels a message. */
export const cancel = (reference: Reference, one: ModelQueued): string => {
  if (one.isDropped || one.isCode) return "MessageNotFound"
  if (one.end !== undefined) return "NotQueued"
  end(reference, one, "cancelled")
  return inWords(one)
}

/** Cancels a code that was not sent. */
export const cancelCode = (reference: Reference, one: ModelQueued): string => {
  if (one.isDropped) return "RequestNotFound"
  if (one.end === undefined) end(reference, one, "cancelled")
  return "cancelled"
}

export const reschedule = (reference: Reference, one: ModelQueued, delay: number): string => {
  if (one.isDropped || one.isCode) return "MessageNotFound"
  if (hasEnded(reference, one)) return "NotQueued"
  one.dueAt = reference.now + delay
  one.sendAt = one.dueAt
  return inWords(one)
}

/** A queued send, as callers see it. */
const inWords = ({ end, message, sendAt }: ModelQueued): string =>
  `${end ?? "queued"}, at ${sendAt === 0 ? null : sendAt}, message ${message?.sequence ?? null}`

/** A queued send, as a store keeps it. */
export const rowOf = ({ dueAt, end, message, sendAt }: ModelQueued): string =>
  `${end ?? "queued"}, at ${sendAt}, due ${end === undefined ? dueAt : null}, message ${message?.sequence ?? null}`

export const statusOf = (one: ModelQueued): string =>
  one.isDropped || one.isCode ? "MessageNotFound" : inWords(one)

/** All that is due is sent, refused or dropped: in each organization one after another, the longest due first. */
export const drain = (reference: Reference): void => {
  const { now, queued } = reference
  const isOpen = (one: ModelQueued) => one.end === undefined
  const isFirst = (one: ModelQueued) =>
    one.orderKey === undefined ||
    queued.find(
      (other) => isOpen(other) && other.org === one.org && other.orderKey === one.orderKey,
    ) === one
  for (;;) {
    const due = queued.filter((one) => isOpen(one) && one.dueAt <= now && isFirst(one))
    const [next] = due.toSorted((a, b) => a.dueAt - b.dueAt)
    if (next === undefined) return
    if (!hasEnded(reference, next)) send(reference, next, true)
  }
}

/** An erasure cancels what is open, without an event. Returns how many rows it changes. */
export const eraseQueued = (reference: Reference, org: number, person: number): number => {
  const own = reference.queued.filter(
    (one) => one.org === org && one.person === person && !one.isErased && !one.isDropped,
  )
  const changed = own.filter((one) => one.end !== "sent")
  for (const one of changed) {
    one.isErased = true
    if (one.end !== undefined) continue
    one.end = "cancelled"
    one.endedAt = reference.now
  }
  return changed.length
}

export const pruneQueued = (reference: Reference, org: number, before: number): void => {
  for (const one of reference.queued) {
    if (one.org === org && one.end !== undefined && one.endedAt < before) one.isDropped = true
  }
}
