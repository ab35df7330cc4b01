import type { LoggedEvent } from "@countersign/core/domain/events/Event"
import { hasNoNumber } from "./erased.ts"
import { orderProblems } from "./records.ts"
import type { Snapshot } from "./snapshot.ts"

/** The fact that an event states about a row, as text; `undefined` if it states nothing that happens once. */
const factOf = (event: LoggedEvent): string | undefined => {
  switch (event._tag) {
    case "MessageSettled":
    case "Refunded":
      return `${event._tag} ${event.messageSequence}`
    case "Verified":
    case "Failed":
    case "Cancelled":
    case "Consumed":
      return `${event._tag} ${event.requestId}`
    default:
      return undefined
  }
}

/** The facts that the rows state. */
const factsIn = ({ entries, messages, verifications }: Snapshot): ReadonlyArray<string> => [
  ...messages.flatMap(({ dueAt, sequence }) =>
    dueAt === null ? [`MessageSettled ${sequence}`] : [],
  ),
  ...entries.flatMap(({ kind, messageSequence }) =>
    kind === "release" ? [`Refunded ${messageSequence}`] : [],
  ),
  ...verifications.flatMap(({ consumedAt, requestId, status }) => [
    ...(status === "verified" ? [`Verified ${requestId}`] : []),
    ...(consumedAt === null ? [] : [`Consumed ${requestId}`]),
  ]),
]

/** Without dropped events, each fact has its event, once. */
const factProblems = (snapshot: Snapshot): ReadonlyArray<string> => {
  const { account, entries, events, messages, verifications } = snapshot
  const logged = events.flatMap((event) => factOf(event) ?? [])
  const known = new Set(logged)
  const found: Array<string> = []
  if (known.size !== logged.length) found.push("I35: a fact has two events")
  if (account.firstEvent > 1) return found
  for (const fact of factsIn(snapshot)) {
    if (!known.has(fact)) found.push(`I35: there is no event ${fact}`)
  }
  for (const { requestId, status } of verifications) {
    if (
      status === "failed" &&
      !known.has(`Failed ${requestId}`) &&
      !known.has(`Cancelled ${requestId}`)
    ) {
      found.push(`I35: there is no event of the failure of ${requestId}`)
    }
  }
  const booked = events.filter(({ _tag }) => _tag === "ToppedUp" || _tag === "Adjusted").length
  const inLedger = entries.filter(({ messageSequence }) => messageSequence === null).length
  if (booked !== inLedger)
    found.push(`I35: ${booked} bookings have events, the ledger has ${inLedger}`)
  const numbers = new Set(messages.map(({ phoneNumber }): string => phoneNumber))
  if (
    events.some(
      (event) => "phoneNumber" in event && !hasNoNumber(event) && numbers.has(event.phoneNumber),
    )
  ) {
    found.push("I35: an event tells a phone number")
  }
  return found
}

/** An account that has never had an event may belong to a store whose event log is off. */
export const eventProblems = (snapshot: Snapshot): ReadonlyArray<string> =>
  snapshot.account.lastEvent === 0
    ? []
    : [
        ...orderProblems("I35: event", snapshot.events, {
          first: snapshot.account.firstEvent,
          last: snapshot.account.lastEvent,
          lastAt: snapshot.account.lastAt,
        }),
        ...factProblems(snapshot),
      ]
