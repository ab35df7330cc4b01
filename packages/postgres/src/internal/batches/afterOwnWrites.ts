import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import type { Batches } from "./batches.ts"

/** A store whose reads include the commands of this node that are not urgent and not written yet. */
export const afterOwnWrites = (
  { unwritten, written }: Pick<Batches, "unwritten" | "written">,
  store: Store["Service"],
): Store["Service"] => {
  const after = <A, E>(organization: string, read: Effect.Effect<A, E>) =>
    Effect.andThen(written(organization), read)
  const allWritten = Effect.suspend(() =>
    Effect.forEach(unwritten.keys(), written, { concurrency: "unbounded", discard: true }),
  )
  return {
    ...store,
    organizationSummaries: (from, limit, selection) =>
      Effect.andThen(allWritten, store.organizationSummaries(from, limit, selection)),
    account: (id) => after(id, store.account(id)),
    entries: (id, from, limit) => after(id, store.entries(id, from, limit)),
    payment: (id, paymentId) => after(id, store.payment(id, paymentId)),
    balancesBefore: (id, at) => after(id, store.balancesBefore(id, at)),
    sumEntries: (id, from, through) => after(id, store.sumEntries(id, from, through)),
    events: (id, from, limit) => after(id, store.events(id, from, limit)),
    trace: (id, query) => after(id, store.trace(id, query)),
    queued: (organization, id) => after(organization, store.queued(organization, id)),
    queuedPage: (queue, from, limit) =>
      after(queue.organization, store.queuedPage(queue, from, limit)),
    messages: (id, query) => after(id, store.messages(id, query)),
    searchMessages: (id, search) => after(id, store.searchMessages(id, search)),
    message: (ref) => after(ref.organization, store.message(ref)),
    // A wait for one organization's lock would delay the reports on the messages of all others.
    locate: (gateway, gatewayId) =>
      Effect.suspend(() => {
        const read = store.locate(gateway, gatewayId)
        if (unwritten.size === 0) return read
        return Effect.flatMap(read, (found) =>
          found === undefined ? Effect.andThen(allWritten, read) : Effect.succeed(found),
        )
      }),
    reports: (ref) => after(ref.organization, store.reports(ref)),
    batchTotals: (id, ids) => after(id, store.batchTotals(id, ids)),
    totals: (id, query) => after(id, store.totals(id, query)),
    personalRows: (step) => after(step.organization, store.personalRows(step)),
    erase: (step) => after(step.organization, store.erase(step)),
  }
}
