import { firstWhere } from "../../domain/values/internal/firstWhere.ts"
import { earlier, type Trace, type TraceQuery } from "../../ports/RelatedRecords.ts"
import type { OrganizationState } from "./organizationState.ts"

export const noTrace: Trace = { entries: [], events: [], until: undefined }

/** The examined rows of a log, which is ordered by time, and the time of the first row that is not. */
const examined = <A extends { readonly at: number }>(
  log: ReadonlyArray<A>,
  { examine, from }: TraceQuery,
) => {
  const first = firstWhere(0, log.length, (index) => (log[index]?.at ?? from) >= from)
  const end = first + examine
  return { rows: log.slice(first, end), until: log[end]?.at }
}

export const traceOf = ({ events, ledger }: OrganizationState, query: TraceQuery): Trace => {
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
    until: earlier(ofLedger.until, ofEvents.until),
  }
}
