/**
 * Sends that wait in the outbox: hosts add them in their own transactions, and every node may send them.
 *
 * The commit that charges the message of a send ends it. So it is sent once, however many nodes and callers try it at
 * the same time. Later callers get the answer of the first.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AccessError, HostEffect } from "../api/Caller.ts"
import { FieldProblems, idOf } from "../api/internal/fieldProblems.ts"
import { pageLimit } from "../api/internal/pageLimit.ts"
import type { SendMessageError, SentMessage } from "../api/messages.ts"
import type * as Api from "../api/outbox.ts"
import type { SendError, SentVerification } from "../api/verifications.ts"
import * as Errors from "../domain/errors/Errors.ts"
import { Limits } from "../domain/limits/Limits.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import * as QueuedSends from "../domain/outbox/QueuedSend.ts"
import * as Cursor from "../domain/values/Cursor.ts"
import { isMessageId, RequestId } from "../domain/values/Ids.ts"
import { Access } from "../engine/Access.ts"
import { Commits, whenElsewhere, withoutVersion } from "../engine/Commits.ts"
import * as Answers from "../engine/StoredAnswer.ts"
import { traced } from "../engine/internal/traced.ts"
import type { SqlStatement } from "../ports/OutboxRows.ts"
import { Store } from "../ports/Store.ts"
import { codeOf, messageOf } from "./internal/queuedSend.ts"
import { obstacleOf, waiting } from "./internal/queuedObstacle.ts"
import { checkSendAt, checkTimes } from "./internal/sendTimes.ts"
import { shown } from "./internal/shownQueued.ts"
import { subjectOf, validSeconds } from "./internal/queuedVerification.ts"
import { sentMessage } from "./internal/messageFields.ts"
import { Messages } from "./Messages.ts"
import { Verifications } from "./verifications/Verifications.ts"

export type * from "../api/outbox.ts"

type QueuedSend = QueuedSends.QueuedSend
type NewQueuedSend = QueuedSends.NewQueuedSend

/** Longest order key, in characters. */
const maxOrderKey = 128

type OfSend = Pick<QueuedSend, "organization" | "id">

export class Outbox extends Context.Service<
  Outbox,
  {
    /** A code for `enqueue`. Reads and writes nothing, and fails as `send` does, as far as the input shows it. */
    readonly prepareCode: (
      input: Api.PrepareVerification,
    ) => Effect.Effect<NewQueuedSend, Errors.InvalidRequest>
    /** The same for a message. */
    readonly prepareMessage: (
      input: Api.PrepareMessage,
    ) => Effect.Effect<NewQueuedSend, Errors.InvalidRequest>
    /** Adds sends in a transaction of its own. Safe to repeat. */
    readonly enqueue: (
      sends: ReadonlyArray<NewQueuedSend>,
    ) => Effect.Effect<void, Errors.StoreUnavailable>
    /** The statement that adds a send in a transaction of the host; `undefined` if hosts have no transactions there. */
    readonly statementOf: (send: NewQueuedSend) => SqlStatement | undefined
    /** Sends a code now, unless it was sent. Every call gets the answer of the first. */
    readonly dispatchCode: (
      input: Api.DispatchVerification,
    ) => Effect.Effect<SentVerification, Failure<SendError, Errors.RequestNotFound>>
    /** The same for a message. */
    readonly dispatchMessage: (
      input: Api.QueuedMessageRef,
    ) => Effect.Effect<SentMessage, Failure<SendMessageError, Errors.MessageNotFound>>
    readonly get: (
      input: Api.QueuedMessageRef,
    ) => HostEffect<Api.QueuedMessage, Errors.MessageNotFound>
    readonly list: (
      input: Api.ListQueuedMessages,
    ) => HostEffect<Api.QueuedMessagePage, Errors.InvalidRequest>
    readonly cancel: (
      input: Api.QueuedMessageRef,
    ) => HostEffect<Api.QueuedMessage, Errors.MessageNotFound | Errors.NotQueued>
    readonly reschedule: (
      input: Api.RescheduleMessage,
    ) => HostEffect<
      Api.QueuedMessage,
      Errors.MessageNotFound | Errors.NotQueued | Errors.InvalidRequest
    >
    /**
     * Sends what this node has taken, or records why not. Fails if it has to be tried again. `takenAt` is the time of
     * the store: the clock of a node may be wrong.
     */
    readonly handle: (taken: QueuedSend, takenAt: number) => Effect.Effect<void, AccessError>
  }
>()("@countersign/core/services/Outbox") {}

type Refused = SendError | SendMessageError

/** Why a send that was named is not sent. */
type Failure<E, N> = E | N | Errors.NotQueued | Answers.Refusal | AccessError

const make = Effect.gen(function* () {
  const access = yield* Access
  const commits = yield* Commits
  const messages = yield* Messages
  const store = yield* Store
  const verifications = yield* Verifications
  const hostLimits = yield* Limits

  const prepareCode: Outbox["Service"]["prepareCode"] = Effect.fnUntraced(function* ({
    orderKey = null,
    ...input
  }) {
    const problems = new FieldProblems()
    if (orderKey !== null) problems.printable("orderKey", orderKey, maxOrderKey)
    if (problems.error !== undefined) return yield* problems.error
    const send = yield* verifications.queue(input)
    // A person does not wait for a code longer than it would be valid.
    const seconds = validSeconds(QueuedSends.make(send), hostLimits)
    return { ...send, orderKey, expiresAt: send.createdAt + seconds * 1_000 }
  })

  const prepareMessage: Outbox["Service"]["prepareMessage"] = Effect.fnUntraced(function* ({
    expiresAt = null,
    id,
    orderKey = null,
    sendAt: dueAt = 0,
    ...input
  }) {
    const problems = new FieldProblems()
    if (id !== undefined && !isMessageId(id)) problems.fail("id", "not_message_id", {})
    if (orderKey !== null) problems.printable("orderKey", orderKey, maxOrderKey)
    checkTimes(problems, { sendAt: dueAt, expiresAt }, yield* Clock.currentTimeMillis)
    if (problems.error !== undefined) return yield* problems.error
    const send = yield* messages.queue(input)
    return { ...send, id: id ?? send.id, orderKey, dueAt, expiresAt }
  })

  /** Ends a send without a message. Returns whether it was open. */
  const end = (
    send: QueuedSend,
    claim: number | undefined,
    how: "refused" | "cancelled" | "expired",
    failure?: Answers.Refusal,
  ) =>
    Effect.map(
      commits.run({
        _tag: "EndQueued",
        organization: send.organization,
        queued: { id: send.id, claim },
        end: how,
        failure: failure && { code: failure.code, error: Answers.encodeRefusal(failure) },
        ...(QueuedSends.isCode(send) && { verification: subjectOf(send) }),
      }),
      ({ _tag }) => _tag === "Ended",
    ).pipe(withoutVersion)

  /** A caller without a claim changes when it is to be sent. A node only lets it wait. */
  const move = (send: QueuedSend, claim: number | undefined, dueAt: number) =>
    Effect.map(
      commits.run({
        _tag: "MoveQueued",
        organization: send.organization,
        queued: { id: send.id, claim },
        dueAt,
        isPostponed: claim !== undefined,
      }),
      ({ _tag }) => _tag === "Moved",
    ).pipe(withoutVersion)

  /** Lets the next send with the same order key be sent. */
  const release = ({ id, organization }: QueuedSend) =>
    withoutVersion(commits.run({ _tag: "ReleaseOrder", organization, queuedId: id }))

  /**
   * Releases the order key of a send when its gateway has answered. If that fails, its lease ends. With any other error,
   * another call may have charged the send, and be sending it.
   */
  const inOrder = <A, E extends Refused>(
    send: QueuedSend,
    sending: Effect.Effect<A, E>,
  ): Effect.Effect<A, E> => {
    if (send.orderKey === null) return sending
    const released = Effect.ignore(release(send))
    return sending.pipe(
      Effect.tap(() => released),
      Effect.tapError(({ _tag }) => (_tag === "SendingFailed" ? released : Effect.void)),
    )
  }

  const sendCode = (send: QueuedSend, claim: number | undefined) =>
    inOrder(
      send,
      verifications.sendQueued({
        ...codeOf(send),
        queued: { id: send.id, claim, ...(claim !== undefined && { row: send }) },
      }),
    )

  const sendMessage = (send: QueuedSend, claim: number | undefined) =>
    inOrder(
      send,
      messages.sendQueued({
        ...messageOf(send),
        // A caller that names no claim has read the row, and taken nothing.
        queued: { id: send.id, claim, ...(claim !== undefined && { row: send }) },
        batch: send.queue === "" ? null : send.queue,
      }),
    )

  /** The message that a send has become. */
  const messageOfSent = Effect.fnUntraced(function* ({
    messageSequence,
    organization,
  }: QueuedSend) {
    const sequence = messageSequence ?? 0
    const read = yield* store.message({ organization, sequence })
    // Retention may have dropped it.
    return read?.message ?? (yield* Answers.unknown)
  })

  const sentCodeOf = Effect.fnUntraced(function* (send: QueuedSend) {
    const message = yield* messageOfSent(send)
    const requestId = RequestId(send.id)
    const organization = yield* access.load(send.organization)
    const limits = Organization.limitsOf(organization, hostLimits)
    const now = yield* Clock.currentTimeMillis
    const sent = yield* Answers.ofCode(store, limits)(
      message,
      { organization: send.organization, requestId },
      now,
    )
    return Answers.sentCode(sent, requestId, message.phoneNumber)
  })

  const sentMessageOf = Effect.fnUntraced(function* (send: QueuedSend) {
    const message = yield* messageOfSent(send)
    const now = yield* Clock.currentTimeMillis
    return sentMessage(yield* Answers.ofMessage(store)(message, send, now), message)
  })

  /** Ends one that a commit has refused, and that has not ended: it is too late. */
  const expired = (send: QueuedSend) =>
    Effect.flatMap(end(send, undefined, "expired"), (isDone) =>
      Effect.fail(new Errors.NotQueued({ end: isDone ? "expired" : "sent" })),
    )

  /** Ends one that is too late. If this clock is ahead, the commit ends nothing. */
  const endLate = (send: QueuedSend) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      QueuedSends.isExpired(send, now) ? end(send, undefined, "expired") : Effect.succeed(false),
    )

  const endOf = ({ end, failure }: QueuedSend) =>
    failure === null
      ? Effect.fail(new Errors.NotQueued({ end: end ?? "sent" }))
      : Effect.fail(Answers.decodeRefusal(failure))

  /**
   * Makes the call of a send. The caller gets its answer, the answer of an earlier call, or the reason for a refusal.
   */
  const dispatch = <A, E extends Refused, N>(
    { id, organization }: OfSend,
    isRight: (send: QueuedSend) => boolean,
    missing: N,
    sendNow: (send: QueuedSend, claim: number | undefined) => Effect.Effect<A, E>,
    answerOf: (send: QueuedSend) => Effect.Effect<A, E>,
  ) => {
    const answered = (send: QueuedSend | undefined): Effect.Effect<A, Failure<E, N>> => {
      if (send === undefined || !isRight(send)) return Effect.fail(missing)
      if (send.end === null) return expired(send)
      return send.end === "sent" ? waiting(answerOf(send)) : endOf(send)
    }
    const read = store.queued(organization, idOf(id))
    const sent = (send: QueuedSend) =>
      sendNow(send, undefined).pipe(
        Effect.tapError((error) =>
          Answers.isRefusal(error) ? end(send, undefined, "refused", error) : Effect.void,
        ),
        // Another call was faster, or it is too late.
        whenElsewhere(Effect.flatMap(read, answered)),
      )
    return Effect.flatMap(read, (send): Effect.Effect<A, Failure<E, N>> => {
      if (send === undefined || !isRight(send) || send.end !== null) return answered(send)
      return Effect.flatMap(endLate(send), (isLate) =>
        isLate ? Effect.fail(new Errors.NotQueued({ end: "expired" })) : sent(send),
      )
    })
  }

  const find = Effect.fnUntraced(function* ({ id, organization }: OfSend) {
    const send = yield* store.queued(organization, idOf(id))
    return send === undefined || QueuedSends.isCode(send)
      ? yield* new Errors.MessageNotFound()
      : send
  })

  /** Shows a send after a change, which fails if it has ended. */
  const changed = Effect.fnUntraced(function* (ref: OfSend, isDone: boolean) {
    const after = yield* find(ref)
    if (isDone) return shown(after)
    return yield* after.end === null ? expired(after) : new Errors.NotQueued({ end: after.end })
  })

  /** The next step of a send that was taken and not sent: it waits, stays taken, or ends. */
  const settle = Effect.fnUntraced(function* (send: QueuedSend, takenAt: number, error: Refused) {
    const { claim, organization, queue: batchId } = send
    const next = QueuedSends.afterObstacle(send, obstacleOf(error), takenAt)
    switch (next._tag) {
      case "wait":
        return yield* move(send, claim, next.until)
      case "pause":
        // First the batch, so that no node takes the message again.
        yield* withoutVersion(
          commits.run({
            _tag: "ChangeBatch",
            organization,
            batchId,
            change: "pause",
            reason: "balance",
          }),
        )
        return yield* move(send, claim, takenAt)
      case "again":
        return false
      case "refuse":
      case "give_up":
        return yield* end(
          send,
          claim,
          "refused",
          Answers.isRefusal(error) ? error : Answers.unknown,
        )
    }
  })

  const handle: Outbox["Service"]["handle"] = Effect.fnUntraced(function* (send, takenAt) {
    // Its node has died before it could release the order key.
    if (send.end !== null) return void (yield* release(send))
    if (QueuedSends.isExpired(send, takenAt)) return void (yield* end(send, send.claim, "expired"))
    const sending: Effect.Effect<unknown, Refused> = QueuedSends.isCode(send)
      ? sendCode(send, send.claim)
      : sendMessage(send, send.claim)
    yield* sending.pipe(
      Effect.catch((error) => settle(send, takenAt, error)),
      whenElsewhere(send.expiresAt === null ? Effect.void : end(send, send.claim, "expired")),
    )
  })

  return Outbox.of({
    prepareCode,
    prepareMessage,
    enqueue: store.enqueue,
    statementOf: store.enqueueStatement,
    dispatchCode: traced("Outbox.dispatchCode", ({ organization, requestId: id }) =>
      dispatch(
        { organization, id },
        QueuedSends.isCode,
        new Errors.RequestNotFound(),
        sendCode,
        sentCodeOf,
      ),
    ),
    dispatchMessage: traced("Outbox.dispatchMessage", (ref) =>
      dispatch(
        ref,
        (send) => !QueuedSends.isCode(send),
        new Errors.MessageNotFound(),
        sendMessage,
        sentMessageOf,
      ),
    ),
    get: (ref) => Effect.map(find(ref), shown),
    list: Effect.fnUntraced(function* ({ cursor, limit, organization }) {
      const problems = new FieldProblems()
      const after =
        cursor === undefined ? undefined : problems.parse("cursor", cursor, Cursor.parse)
      if (problems.error !== undefined) return yield* problems.error
      yield* access.load(organization)
      const queue = { organization, queue: "" }
      const { found, next } = yield* store.queuedPage(queue, after, pageLimit(limit))
      const rows = found.filter((send) => !QueuedSends.isCode(send))
      return { messages: rows.map(shown), next: next === undefined ? undefined : Cursor.make(next) }
    }),
    cancel: Effect.fnUntraced(function* (ref) {
      return yield* changed(ref, yield* end(yield* find(ref), undefined, "cancelled"))
    }),
    reschedule: Effect.fnUntraced(function* ({ sendAt, ...ref }) {
      const problems = new FieldProblems()
      checkSendAt(problems, sendAt, yield* Clock.currentTimeMillis)
      if (problems.error !== undefined) return yield* problems.error
      return yield* changed(ref, yield* move(yield* find(ref), undefined, sendAt))
    }),
    handle,
  })
})

export const layer = Layer.effect(Outbox, make)
