import type { Entry } from "@countersign/core/domain/money/Account"
import type { Message } from "@countersign/core/domain/messages/Message"
import type { Snapshot } from "./snapshot.ts"

/** The expected entries of a message, by the state of its hold. */
const expectedEntries: Record<Message["hold"], string> = {
  none: "",
  open: "hold",
  captured: "hold capture",
  released: "hold release",
}

const holdProblems = (message: Message, entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const { charge, hold, sequence, status } = message
  const found: Array<string> = []
  const kinds = entries.map(({ kind }) => kind).join(" ")
  if (kinds !== expectedEntries[hold]) {
    found.push(`I4: message ${sequence}, whose hold is ${hold}, has the entries "${kinds}"`)
  }
  if (entries.some(({ amount }) => amount !== charge)) {
    found.push(`I5: an entry of message ${sequence} is not for its price`)
  }
  if ((hold === "none") !== (charge === 0)) {
    found.push(`I5: message ${sequence} costs ${charge} and its hold is ${hold}`)
  }
  if (status === "delivered" && charge > 0 && hold !== "captured") {
    found.push(`I5: message ${sequence} is delivered and its hold is ${hold}`)
  }
  if (["undelivered", "failed", "rejected"].includes(status) && charge > 0 && hold !== "released") {
    found.push(`I5: message ${sequence} is ${status} and its hold is ${hold}`)
  }
  return found
}

const closingProblems = (message: Message): ReadonlyArray<string> => {
  const { createdAt, dueAt, followAt, hold, requestId, sequence, status } = message
  const found: Array<string> = []
  if (followAt !== null && (requestId === null || status === "delivered" || followAt < createdAt)) {
    found.push(`I33: another message is to follow message ${sequence}, which is ${status}`)
  }
  const isFinal = ["delivered", "undelivered", "failed", "rejected"].includes(status)
  if (isFinal && dueAt !== null) found.push(`I22: message ${sequence} is ${status} and still due`)
  if ((status === "pending" || status === "accepted") && dueAt === null) {
    found.push(`I22: message ${sequence} is ${status} and no node will look at it again`)
  }
  if (dueAt === null && hold === "open")
    found.push(`I22: message ${sequence} is closed with an open hold`)
  return found
}

/** Checks that the hold of a dropped message has ended. */
const droppedProblems = (number: number, entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const kinds = entries.map(({ kind }) => kind).join(" ")
  return kinds === expectedEntries.captured || kinds === expectedEntries.released
    ? []
    : [`I22: message ${number} was dropped with the entries "${kinds}"`]
}

export const messageProblems = ({
  account,
  entries,
  messages,
}: Snapshot): ReadonlyArray<string> => {
  const found: Array<string> = []
  const ofMessage = Map.groupBy(entries, ({ messageSequence }) => messageSequence)
  const count = account.lastMessage - account.firstMessage + 1
  if (messages.length !== count) {
    found.push(`I23: the account counts ${count} messages, there are ${messages.length}`)
  }
  if (account.firstMessage < 1 || account.firstMessage > account.lastMessage + 1) {
    found.push(`log: it begins with ${account.firstMessage} and ends with ${account.lastMessage}`)
  }
  for (const [number, ofDropped] of ofMessage) {
    if (number !== null && number < account.firstMessage) {
      found.push(...droppedProblems(number, ofDropped))
    }
  }
  let createdAt = 0
  for (const [index, message] of messages.entries()) {
    const expected = account.firstMessage + index
    if (message.sequence !== expected)
      found.push(`log: message ${expected} has the number ${message.sequence}`)
    if (message.createdAt < createdAt) {
      found.push(`I27: message ${message.sequence} is older than the one before it`)
    }
    createdAt = message.createdAt
    found.push(
      ...holdProblems(message, ofMessage.get(message.sequence) ?? []),
      ...closingProblems(message),
    )
  }
  const ids = new Set(messages.map(({ id }) => id))
  if (ids.size !== messages.length) found.push("log: two messages have the same id")
  return found
}
