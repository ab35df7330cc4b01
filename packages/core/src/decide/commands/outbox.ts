/** The rules of queued sends that end without a message, or whose time changes. `Decider.hold` ends those that are sent. */
import * as QueuedSend from "../../domain/outbox/QueuedSend.ts"
import { RequestId } from "../../domain/values/Ids.ts"
import type { OrganizationEvent } from "../../domain/events/Event.ts"
import * as Decider from "../shared/Decider.ts"
import type * as Shared from "../shared/Results.ts"

export interface Commands {
  /** Ends a queued send without a message. */
  readonly EndQueued: Required<Shared.OfQueued> & {
    readonly end: Exclude<QueuedSend.End, "sent">
    /** Why it is refused: the code of the error, and the error as JSON. */
    readonly failure?: { readonly code: string; readonly error: string } | undefined
    /** The request's part of the event, if it is a code. */
    readonly verification?: { readonly purpose: string | null; readonly metadata: string | null }
  }
  /** Changes when it is sent. */
  readonly MoveQueued: Required<Shared.OfQueued> & {
    readonly dueAt: number
    /** Whether it has to wait, and was to be sent before. */
    readonly isPostponed: boolean
  }
  /** Lets the next send with the same order key be sent. */
  readonly ReleaseOrder: { readonly queuedId: string }
}

export interface Results {
  readonly EndQueued: Shared.Tagged<"Ended"> | Shared.NotQueued
  readonly MoveQueued: Shared.Tagged<"Moved"> | Shared.NotQueued
  readonly ReleaseOrder: Shared.Tagged<"Released"> | Shared.NotFound
}

type Decide<T extends keyof Commands> = Decider.Decider<Shared.Of<Commands, T>, Results[T]>

/** The event of an end without a message. */
const eventOf = (
  { account: { organization }, now: at }: Decider.Context,
  { end, failure, verification }: Shared.Of<Commands, "EndQueued">,
  queued: QueuedSend.QueuedSend,
): OrganizationEvent => {
  const { id, phoneNumber } = queued
  if (!QueuedSend.isCode(queued)) {
    return {
      _tag: "MessageDropped",
      organization,
      at,
      id,
      reason: end,
      code: failure?.code ?? null,
    }
  }
  const { metadata = null, purpose = null } = verification ?? {}
  const request = { organization, requestId: RequestId(id), phoneNumber, purpose, metadata }
  const about = Decider.about(request, at)
  return end === "cancelled"
    ? { _tag: "Cancelled", ...about }
    : { _tag: "Failed", ...about, reason: end === "refused" ? "refused" : "sending" }
}

export const endQueued: Decide<"EndQueued"> = (context, command) => {
  const { account, now, view } = context
  const { queued } = view
  if (queued === undefined) throw new Error("A queued send is missing")
  if (command.end === "expired" && !QueuedSend.isExpired(queued, now)) {
    return Decider.answer({ _tag: "NotQueued" })
  }
  const failure = command.failure?.error ?? null
  return Decider.answer(
    { _tag: "Ended" },
    { account, queued: QueuedSend.end(queued, command.end, failure, now) },
    [eventOf(context, command, queued)],
  )
}

export const moveQueued: Decide<"MoveQueued"> = ({ account, view: { queued } }, command) => {
  if (queued === undefined) throw new Error("A queued send is missing")
  const change = command.isPostponed ? QueuedSend.postpone : QueuedSend.reschedule
  return Decider.answer({ _tag: "Moved" }, { account, queued: change(queued, command.dueAt) })
}

/** One that is not sent, or that nothing waits for, is left as it is. */
export const releaseOrder: Decide<"ReleaseOrder"> = ({ account, view: { queued } }) =>
  queued?.end !== "sent" || queued.dueAt === null
    ? Decider.answer({ _tag: "NotFound" })
    : Decider.answer({ _tag: "Released" }, { account, queued: QueuedSend.release(queued) })
