/** Plays what hosts do with the outbox. */
import type { Engine } from "@countersign/core/Engine"
import type { NewQueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import { requestIdPrefix } from "@countersign/core/domain/values/Ids"
import { Outbox } from "@countersign/core/services/Outbox"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import { cycled } from "../model/real.ts"
import type { Action } from "./actions.ts"
import { organizationAt, phoneOf } from "./calls.ts"
import type { ClientCall, History } from "./history.ts"

/** Makes calls about a queued send, whose id is their mark. */
const callAbout = <A, E extends { readonly _tag: string }>(
  history: History,
  tag: "dispatch" | "cancelQueued" | "reschedule",
  { id, organization }: NewQueuedSend,
  { count, node }: { readonly count: number; readonly node: number },
  effect: Effect.Effect<A, E, Engine>,
): void => {
  for (let index = 0; index < count; index++) {
    const machine = history.machine(node + index)
    if (machine === undefined) return
    history.call({ ...unkeyed, tag, organization, mark: id, machine }, effect)
  }
}

const unkeyed = {
  key: undefined,
  input: "",
  requestId: undefined,
  isForeign: false,
} satisfies Partial<ClientCall>

const isCode = ({ id }: NewQueuedSend): boolean => id.startsWith(requestIdPrefix)

const dispatchAll = (
  history: History,
  send: NewQueuedSend,
  calls: { readonly count: number; readonly node: number },
): void => {
  const { id, organization } = send
  if (isCode(send)) {
    const call = Outbox.use((_) => _.dispatchCode({ organization, requestId: id }))
    callAbout(history, "dispatch", send, calls, call)
  } else {
    const call = Outbox.use((_) => _.dispatchMessage({ organization, id }))
    callAbout(history, "dispatch", send, calls, call)
  }
}

export const queue = (history: History, action: Action<"queue">): void => {
  const { delay, dispatches, expiry, isCode, isRolledBack, node, org, person, tag } = action
  const machine = history.machine(node)
  if (machine === undefined) return
  const { stage, witness } = history
  const { now } = stage.world
  const mark = `queued ${history.calls.length}`
  const organization = organizationAt(history, org)
  const to = { organization, phoneNumber: phoneOf(person) }
  const orderKey = action.orderKey === undefined ? undefined : `order ${action.orderKey}`
  const times = {
    sendAt: delay === 0 ? undefined : now + delay,
    expiresAt: expiry === undefined ? undefined : now + delay + expiry,
  }
  const prepare = Outbox.use((outbox) =>
    isCode
      ? outbox.prepareCode({ ...to, orderKey, metadata: JSON.stringify({ mark }) })
      : outbox.prepareMessage({ ...to, ...times, orderKey, text: mark }),
  )
  const transaction = Effect.gen(function* () {
    const send = yield* prepare
    witness.outbox.prepared(send, isRolledBack)
    if (isRolledBack) stage.meet("outbox: rolled back")
    else yield* Outbox.use(({ enqueue }) => enqueue([send]))
    dispatchAll(history, send, { node: node + 1, count: dispatches })
    return send.id
  })
  history.call({ ...unkeyed, tag, organization, mark, machine }, transaction)
}

/** The queued send that an action is about: most often one that is open, if there is one. */
const sendAt = (history: History, place: number): NewQueuedSend | undefined => {
  const { open, sends } = history.witness.outbox
  const from = place < 2 && open.length > 0 ? open : sends
  return from.length === 0 ? undefined : cycled(from, place)
}

export const dispatch = (history: History, action: Action<"dispatch">): void => {
  const send = sendAt(history, action.send)
  if (send !== undefined) dispatchAll(history, send, action)
}

export const cancel = (history: History, action: Action<"cancelQueued">): void => {
  const send = sendAt(history, action.send)
  if (send === undefined) return
  const { id, organization } = send
  if (isCode(send)) {
    const call = Verifications.use((_) => _.cancel({ organization, requestId: id }))
    callAbout(history, action.tag, send, action, call)
  } else {
    const call = Outbox.use((_) => _.cancel({ organization, id }))
    callAbout(history, action.tag, send, action, call)
  }
}

export const reschedule = (history: History, action: Action<"reschedule">): void => {
  const send = sendAt(history, action.send)
  if (send === undefined) return
  const { id, organization } = send
  const at = history.stage.world.now + action.delay
  const call = Outbox.use((_) => _.reschedule({ organization, id, sendAt: at }))
  callAbout(history, action.tag, send, action, call)
}
