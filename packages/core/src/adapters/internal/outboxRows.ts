import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import * as QueuedSend from "../../domain/outbox/QueuedSend.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import { maxWakeups, organizationsOf, type OutboxRows } from "../../ports/OutboxRows.ts"
import type { OrganizationState } from "./organizationState.ts"

type Now = <A>(f: (at: number) => A) => Effect.Effect<A>

/** The queued sends in memory. */
export const makeOutboxRows = (
  states: ReadonlyMap<OrganizationId, OrganizationState>,
  now: Now,
): OutboxRows => {
  const added = Effect.runSync(PubSub.sliding<OrganizationId>(maxWakeups))
  /** The open sends of batches that nodes have read, and the ends of the last leases. */
  const ranges = new Map<string, { readonly ids: ReadonlySet<string>; readonly until: number }>()
  const ofOrganization = (id: OrganizationId) => [...(states.get(id)?.outbox.values() ?? [])]
  const isDue = ({ dueAt }: QueuedSend.QueuedSend, at: number) => dueAt !== null && dueAt <= at
  const isFirst = (send: QueuedSend.QueuedSend, all: ReadonlyArray<QueuedSend.QueuedSend>) =>
    send.orderKey === null ||
    all.find((one) => one.orderKey === send.orderKey && one.dueAt !== null) === send
  return {
    enqueue: (sends) =>
      Effect.andThen(
        Effect.sync(() => {
          for (const send of sends) {
            const outbox = states.get(send.organization)?.outbox
            if (outbox !== undefined && !outbox.has(send.id))
              outbox.set(send.id, QueuedSend.make(send))
          }
        }),
        Effect.asVoid(PubSub.publishAll(added, organizationsOf(sends))),
      ),
    enqueueStatement: () => undefined,
    queued: (organization, id) => Effect.sync(() => states.get(organization)?.outbox.get(id)),
    queuedPage: ({ organization, queue }, after = 0, limit) =>
      Effect.sync(() => {
        const all = ofOrganization(organization).filter((send) => send.queue === queue)
        const found = all.slice(after, after + limit)
        return { found, next: after + limit < all.length ? after + limit : undefined }
      }),
    queues: (after, limit) =>
      now((at) =>
        [...states.keys()]
          .flatMap((organization) => {
            const due = ofOrganization(organization).filter((send) => isDue(send, at))
            const names = new Set(due.map(({ queue }) => queue))
            return [...names].map((queue) => ({ organization, queue }))
          })
          .toSorted(byPlace)
          .filter((ref) => after === undefined || byPlace(ref, after) > 0)
          .slice(0, limit),
      ),
    takeQueued: (shares, leaseMillis) =>
      now((at) =>
        shares.flatMap(({ limit, organization, queue }) => {
          if ((ranges.get(placeOf({ organization, queue }))?.until ?? 0) > at) return []
          const all = ofOrganization(organization)
          const due = all.filter(
            (send) => send.queue === queue && isDue(send, at) && isFirst(send, all),
          )
          const taken = due
            .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
            .slice(0, limit)
            .map((send) => QueuedSend.take(send, at + leaseMillis))
          for (const send of taken) states.get(organization)?.outbox.set(send.id, send)
          return taken
        }),
      ),
    nextOfBatch: ({ limit, organization, queue }, leaseMillis) =>
      now((at) => {
        const place = placeOf({ organization, queue })
        const all = ofOrganization(organization).filter((send) => send.queue === queue)
        const read = ranges.get(place)?.ids ?? new Set()
        const next = all
          .filter((send) => send.claim === 0 && isDue(send, at) && !read.has(send.id))
          .slice(0, limit)
        if (next.length === 0) return []
        const ids = all.filter((send) => read.has(send.id) || next.includes(send))
        const until = at + leaseMillis
        ranges.set(place, { ids: new Set(ids.map(({ id }) => id)), until })
        return next.map((send) => ({ ...send, dueAt: until }))
      }),
    wakeups: Stream.fromPubSub(added),
  }
}

export const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

const placeOf = ({ organization, queue }: QueuedSend.QueueRef): string => `${organization} ${queue}`

const byPlace = (a: QueuedSend.QueueRef, b: QueuedSend.QueueRef): number =>
  byText(a.organization, b.organization) || byText(a.queue, b.queue)
