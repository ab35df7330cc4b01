/** Reads of the memory store: pages of a log, searches, related records and totals. */
import type { Finding } from "../../domain/fraud/PrefixStats.ts"
import * as Order from "effect/Order"
import { firstWhere } from "../../domain/values/internal/firstWhere.ts"
import type { Message } from "../../domain/messages/Message.ts"
import { dimensions, inSlots, inStarts, type Total } from "../../domain/money/Total.ts"
import * as Search from "../../ports/Search.ts"
import type { MessagePage, MessageQuery, TotalQuery } from "../../ports/Store.ts"
import type { OrganizationState } from "./organizationState.ts"

/** Number of messages in a log, which is ordered by time, that were created before `at`. */
const countBefore = (log: ReadonlyArray<Message>, at: number): number =>
  firstWhere(0, log.length, (index) => (log[index]?.createdAt ?? at) >= at)

/** The range of indexes of the messages between two times, which are inclusive. */
const rangeOf = (
  log: ReadonlyArray<Message>,
  { from, to }: Pick<MessageQuery, "from" | "to">,
): { readonly first: number; readonly end: number } => ({
  first: from === undefined ? 0 : countBefore(log, from),
  end: to === undefined ? log.length : countBefore(log, to + 1),
})

/** A page of a log. `version` is the one of its account. */
export const pageOf = (
  log: ReadonlyArray<Message>,
  version: number,
  query: MessageQuery,
): MessagePage => {
  const { end, first } = rangeOf(log, query)
  const total = Math.max(0, end - first)
  const newest = end - query.skip
  const oldest = Math.max(first, newest - query.limit)
  const messages = newest > oldest ? log.slice(oldest, newest).toReversed() : []
  return { version, total, messages }
}

/** A page of what `select` finds for the messages of a search. */
export const searchOf = <A>(
  log: ReadonlyArray<Message>,
  version: number,
  { before = Infinity, examine, limit, phoneNumber, ...times }: Search.Search,
  select: (message: Message) => A | undefined,
): Search.Found<A> => {
  const { end, first } = rangeOf(log, times)
  const rows: Array<A> = []
  let examined = 0
  for (let index = end - 1; index >= first; index--) {
    const message = log[index]
    if (message === undefined || message.sequence >= before) continue
    if (phoneNumber !== undefined && message.phoneNumber !== phoneNumber) continue
    if (rows.length === limit || examined === examine) {
      return { version, rows, next: message.sequence + 1 }
    }
    examined += 1
    const row = select(message)
    if (row !== undefined) rows.push(row)
  }
  return { version, rows, next: undefined }
}

export const noTrace: Search.Trace = { entries: [], events: [], until: undefined }

/** The examined rows of a log, which is ordered by time, and the time of the first row that is not. */
const examined = <A extends { readonly at: number }>(
  log: ReadonlyArray<A>,
  { examine, from }: Search.TraceQuery,
) => {
  const first = firstWhere(0, log.length, (index) => (log[index]?.at ?? from) >= from)
  const end = first + examine
  return { rows: log.slice(first, end), until: log[end]?.at }
}

export const traceOf = ({ events, ledger }: OrganizationState, query: Search.TraceQuery) => {
  const { messages, requestId } = query
  const ofLedger = examined(ledger, query)
  const ofEvents = examined(events, query)
  return {
    entries: ofLedger.rows.filter(
      ({ messageSequence }) => messageSequence !== null && messages.includes(messageSequence),
    ),
    events: ofEvents.rows.filter(
      (event) =>
        ("messageSequence" in event && messages.includes(event.messageSequence)) ||
        ("requestId" in event && event.requestId === requestId),
    ),
    until: Search.earlier(ofLedger.until, ofEvents.until),
  }
}

const byDimensions = Order.combineAll(
  (["kind", ...dimensions] as const).map((dimension) =>
    Order.mapInput(Order.String, (row: Total): string => row[dimension]),
  ),
)

const byTime = Order.mapInput(Order.Number, (row: Total) => row.at)

/** The totals that a query selects, in their order. */
export const totalsIn = (
  rows: Iterable<Total>,
  { from, kinds, slotMillis, starts, to }: TotalQuery,
): ReadonlyArray<Total> => {
  const selected = [...rows].filter(({ at, kind }) => at >= from && at < to && kinds.includes(kind))
  const added = starts === undefined ? inSlots(selected, slotMillis) : inStarts(selected, starts)
  return added.toSorted(Order.combine(byTime, byDimensions))
}

/** The order of findings. */
export const newestFirst = Order.flip(
  Order.combineAll([
    Order.mapInput(Order.Number, (finding: Finding) => finding.at),
    Order.mapInput(Order.String, (finding: Finding) => finding.prefix),
    Order.mapInput(Order.String, (finding: Finding): string => finding.reason),
  ]),
)
