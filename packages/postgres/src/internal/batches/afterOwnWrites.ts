import type { Store } from "@countersign/core/ports/Store"
import type { Batches } from "./batches.ts"

/** A store whose reads include what this node has still to write, although nobody waits for that. */
export const afterOwnWrites = (
  { afterAllWrites, afterWrites: after }: Batches,
  store: Store["Service"],
): Store["Service"] => ({
  ...store,
  organizationSummaries: (from, limit) => afterAllWrites(store.organizationSummaries(from, limit)),
  account: (id) => after(id, store.account(id)),
  entries: (id, from, limit) => after(id, store.entries(id, from, limit)),
  balancesBefore: (id, at) => after(id, store.balancesBefore(id, at)),
  sumEntries: (id, from, through) => after(id, store.sumEntries(id, from, through)),
  events: (id, from, limit) => after(id, store.events(id, from, limit)),
  trace: (id, query) => after(id, store.trace(id, query)),
  messages: (id, query) => after(id, store.messages(id, query)),
  searchMessages: (id, search) => after(id, store.searchMessages(id, search)),
  message: (ref) => after(ref.organization, store.message(ref)),
  locate: (gateway, gatewayId) => afterAllWrites(store.locate(gateway, gatewayId)),
  reports: (ref) => after(ref.organization, store.reports(ref)),
  totals: (id, query) => after(id, store.totals(id, query)),
  personalRows: (step) => after(step.organization, store.personalRows(step)),
  erase: (step) => after(step.organization, store.erase(step)),
})
