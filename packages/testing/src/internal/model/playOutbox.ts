/**
 * Actions on the outbox: hosts queue codes and messages, callers dispatch, cancel and reschedule them, and a node
 * sends what is due.
 */
import { Outbox, type QueuedMessage } from "@countersign/core/services/Outbox"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import { learnRequests } from "./learn.ts"
import * as Queued from "./queuedSends.ts"
import { cycled, type Real } from "./real.ts"
import type { Reference } from "./reference.ts"
import { compareOne, organizationOf, phoneOf, resultOf } from "./results.ts"
import type { Action } from "./scenario.ts"

export const queue = (action: Action<"queue">, reference: Reference, real: Real) => {
  const { delay, expiry, isCode, node, org, person } = action
  const orderKey = action.orderKey === undefined ? undefined : `order ${action.orderKey}`
  const to = { organization: organizationOf(real, org), phoneNumber: phoneOf(person), orderKey }
  const message = {
    ...to,
    text: Queued.queuedText,
    sendAt: delay === 0 ? undefined : reference.now + delay,
    expiresAt: expiry === undefined ? undefined : reference.now + delay + expiry,
  }
  const call = Outbox.use((outbox) =>
    resultOf(
      Effect.tap(isCode ? outbox.prepareCode(to) : outbox.prepareMessage(message), (send) =>
        Effect.andThen(
          outbox.enqueue([send]),
          Effect.sync(() => real.queued.push(send.id)),
        ),
      ),
      () => "queued",
    ),
  )
  return compareOne(() => Queued.queue(reference, action), real.on(node, call))
}

/** The queued send that an action is about, its id, and its organization. */
const queuedAt = ({ queued }: Reference, real: Real, place: number) => {
  const all = queued.map((one, index) => ({ one, id: cycled(real.queued, index) }))
  const open = all.filter(({ one }) => one.end === undefined)
  const from = place % 2 === 0 || open.length === 0 ? all.toReversed() : open
  const found = from.length === 0 ? undefined : cycled(from, place)
  return found && { ...found, organization: organizationOf(real, found.one.org) }
}

const inWords = ({ sendAt, sequence, status }: QueuedMessage): string =>
  `${status}, at ${sendAt}, message ${sequence}`

/** Whether the outcomes are written that the engine writes after its answers. */
const isWritten = Effect.fnUntraced(function* (reference: Reference, real: Real) {
  for (const known of reference.allMessages) {
    if (reference.messageState(known).status === "pending") continue
    const ref = { organization: organizationOf(real, known.org), sequence: known.sequence }
    if ((yield* real.store.message(ref))?.message?.status === "pending") return false
  }
  return true
})

export const dispatch = Effect.fnUntraced(function* (
  action: Action<"dispatch">,
  reference: Reference,
  real: Real,
) {
  const found = queuedAt(reference, real, action.send)
  if (found === undefined || Queued.isAnswerOpen(reference, found.one)) return
  const { id, one, organization } = found
  const call = Outbox.use((outbox) =>
    one.isCode
      ? resultOf(
          outbox.dispatchCode({ organization, requestId: id }),
          ({ channel, expiresInSeconds }) => `sent by ${channel}, expires in ${expiresInSeconds}`,
        )
      : resultOf(
          outbox.dispatchMessage({ organization, id }),
          ({ balance, channel }) => `sent by ${channel}, ${balance} left`,
        ),
  )
  const both = yield* compareOne(
    () => Queued.dispatch(reference, one),
    real.untilDone(real.on(action.node, call)),
  )
  yield* real.untilTrue(isWritten(reference, real))
  yield* learnRequests(real, reference)
  return both
})

export const cancelQueued = Effect.fnUntraced(function* (
  action: Action<"cancelQueued">,
  reference: Reference,
  real: Real,
) {
  const found = queuedAt(reference, real, action.send)
  if (found === undefined) return
  const { id, one, organization } = found
  // A code that was sent is cancelled as any other.
  if (one.isCode && one.end === "sent") return
  const call = one.isCode
    ? Verifications.use((verifications) =>
        resultOf(verifications.cancel({ organization, requestId: id }), () => "cancelled"),
      )
    : Outbox.use((outbox) => resultOf(outbox.cancel({ organization, id }), inWords))
  const expect = one.isCode ? Queued.cancelCode : Queued.cancel
  return yield* compareOne(() => expect(reference, one), real.on(action.node, call))
})

export const reschedule = Effect.fnUntraced(function* (
  action: Action<"reschedule">,
  reference: Reference,
  real: Real,
) {
  const found = queuedAt(reference, real, action.send)
  if (found === undefined) return
  const { id, one, organization } = found
  const input = { organization, id, sendAt: reference.now + action.delay }
  const call = Outbox.use((outbox) => resultOf(outbox.reschedule(input), inWords))
  return yield* compareOne(
    () => Queued.reschedule(reference, one, action.delay),
    real.on(action.node, call),
  )
})

export const queuedStatus = Effect.fnUntraced(function* (
  action: Action<"queuedStatus">,
  reference: Reference,
  real: Real,
) {
  const found = queuedAt(reference, real, action.send)
  if (found === undefined) return
  const { id, one, organization } = found
  const call = Outbox.use((outbox) => resultOf(outbox.get({ organization, id }), inWords))
  return yield* compareOne(() => Queued.statusOf(one), real.on(action.node, call))
})

/** One send of each organization at a time: the order of sends at once is not known. */
export const drain = Effect.fnUntraced(function* (
  action: Action<"drain">,
  reference: Reference,
  real: Real,
) {
  const shares = real.organizations.map((organization) => ({ organization, queue: "", limit: 1 }))
  const { now } = reference
  for (let rounds = 0; ; rounds++) {
    const taken = yield* real.store.takeQueued(shares, leaseMillis)
    if (taken.length === 0) break
    if (rounds > reference.queued.length) return yield* Effect.die(new Error("It does not end"))
    for (const send of taken) {
      const handled = Outbox.use((outbox) => outbox.handle(send, now))
      yield* real.untilDone(real.on(action.node, handled))
    }
  }
  Queued.drain(reference)
  yield* real.untilTrue(isWritten(reference, real))
  yield* learnRequests(real, reference)
})

const leaseMillis = 30_000

/** The rows of the outbox, as texts. */
export const rowsOf = (real: Real, reference: Reference) =>
  Effect.forEach(reference.queued, ({ org }, index) =>
    Effect.map(real.store.queued(organizationOf(real, org), cycled(real.queued, index)), (row) =>
      row === undefined
        ? "dropped"
        : `${row.end ?? "queued"}, at ${row.sendAt}, due ${row.dueAt}, message ${row.messageSequence}`,
    ),
  )

export const expectedRows = ({ queued }: Reference): ReadonlyArray<string> =>
  queued.map((one) => (one.isDropped ? "dropped" : Queued.rowOf(one)))
