/**
 * Actions on messages: sending, listing, reporting, and crashes in between.
 */
import {
  MessageId,
  type MessageRef,
  RequestId,
  sortable,
} from "@countersign/core/domain/values/Ids"
import * as Message from "@countersign/core/domain/messages/Message"
import { type MessageList, Messages } from "@countersign/core/services/Messages"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { Reports } from "@countersign/core/services/Reports"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Samples from "../../Samples.ts"
import { answerOf, callerOf, compareOne, organizationOf, phoneOf, resultOf } from "./results.ts"
import { keyed } from "./playRetries.ts"
import { pageOf as expectedPage } from "./readings.ts"
import { learnRequests } from "./learn.ts"
import { cycled, limitsOf, type Real, rulesOf } from "./real.ts"
import type { Reference } from "./reference.ts"
import { type Action, leaseMillis, settleMillis } from "./scenario.ts"

export const message = (action: Action<"message">, reference: Reference, real: Real) => {
  const { address, count, key, node, org, tag } = action
  const given = (isOther: boolean) => (isOther ? { ...action, text: "another text" } : action)
  const call = (isOther: boolean, idempotencyKey: string) =>
    Messages.use((messages) =>
      answerOf(
        messages.send({
          idempotencyKey,
          ...callerOf(real, org, key),
          address,
          phoneNumber: phoneOf(action.person),
          text: given(isOther).text,
          channel: action.channel,
          sender: action.brand,
        }),
        ({ balance, channel }) => `sent by ${channel}, ${balance} left`,
      ),
    )
  const expect = (isOther: boolean) => reference.message(given(isOther))
  return keyed({ tag, org, key, address, node, call, expect }, count, reference, real)
}

export const lineOf = (row: Message.Message): string =>
  [
    row.sequence,
    row.phoneNumber,
    row.logChannel,
    row.status,
    Message.price(row),
    row.createdAt,
    row.requestId === null ? row.text : "a code",
  ].join(" ")

const pageOf = ({ messages, total, totalPages }: MessageList): string =>
  [`${total} in ${totalPages} pages`, ...messages.map(lineOf)].join("\n")

export const list = (action: Action<"list">, reference: Reference, real: Real) => {
  const { limit, page, range } = action
  const times = reference.org(action.org).messages.map(({ createdAt }) => createdAt)
  const timeAt = (index: number) => (times.length === 0 ? reference.now : cycled(times, index))
  const bounds =
    range === undefined
      ? {}
      : { from: timeAt(range[0]) + range[1], to: timeAt(range[2]) + range[3] }
  const query = { page, limit, ...bounds }
  const call = Messages.use((messages) =>
    resultOf(messages.list({ ...callerOf(real, action.org, undefined), ...query }), pageOf),
  )
  return compareOne(() => expectedPage(reference, action.org, query), real.on(action.node, call))
}

/** Whether the SMS after a message has been sent, or is not due. */
const wasFollowed = Effect.fnUntraced(function* (real: Real, ref: MessageRef, now: number) {
  const message = (yield* real.store.message(ref))?.message
  if (message === undefined || message.requestId === null) return true
  const { followAt, requestId, sequence } = message
  // The message of an erased request waits as well.
  if (followAt !== null) return followAt > now
  const request = yield* real.store.verification(ref.organization, requestId)
  if (request === undefined) return true
  const carrier = { ...ref, sequence: request.verification.messageSequence }
  const next = yield* real.store.message(carrier)
  return carrier.sequence === sequence || next?.message?.status !== "pending"
})

export const report = Effect.fnUntraced(function* (
  action: Action<"report">,
  reference: Reference,
  real: Real,
) {
  const messages = reference.allMessages
  const known = messages.length === 0 ? undefined : cycled(messages, action.message)
  const number = known === undefined ? "" : phoneOf(known.person)
  const evidence = { to: number, status: action.status }
  const receive = (of: Parameters<Reports["Service"]["receive"]>[0]["of"]) =>
    real.on(
      action.node,
      Reports.use((reports) =>
        reports.receive({ of, status: action.status, detail: null, evidence }),
      ),
    )
  const gatewayId = `unknown-${action.message}`
  if (known === undefined || action.by === "unknown id") {
    const of = { _tag: "GatewayId", gateway: "simulated", gatewayId } as const
    return { expected: ["kept"], actual: [yield* receive(of)] }
  }
  const ref = { organization: organizationOf(real, known.org), sequence: known.sequence }
  // For a report by gateway id, a store only has to find messages that the report could change.
  const isFindable = reference.messageState(known).status === "accepted"
  const total = reference.org(known.org).messages.length
  const query = { from: undefined, to: undefined, skip: total - known.sequence, limit: 1 }
  const row = (yield* real.store.messages(ref.organization, query))?.messages[0]
  const of =
    action.by === "gateway id" && isFindable && row !== undefined && row.gatewayId !== null
      ? ({ _tag: "GatewayId", gateway: row.gateway, gatewayId: row.gatewayId } as const)
      : ({ _tag: "Message", ...ref } as const)
  const actual: Array<string> = []
  const expected: Array<string> = []
  for (let times = 0; times < action.times; times++) {
    const isFollowed = known.followAt !== null
    expected.push(reference.report(known, action.status))
    actual.push(yield* receive(of))
    if (isFollowed) yield* real.untilTrue(wasFollowed(real, ref, reference.now))
  }
  return { expected, actual }
})

/** Bytes that the engine will not generate. */
const unlikelyBytes = (index: number): Uint8Array => {
  const bytes = new Uint8Array(16).fill(0xff)
  new DataView(bytes.buffer).setUint32(12, index)
  return bytes
}

/** Prunes in steps until no rows remain to prune. */
export const prune = Effect.fnUntraced(function* (
  action: Action<"prune">,
  reference: Reference,
  real: Real,
) {
  const { keepMillis, kind, limit, org } = action
  reference.prune(action)
  const organization = organizationOf(real, org)
  let after: string | undefined
  do {
    const { next } = yield* real.store.prune({ organization, kind, keepMillis, after, limit })
    after = next
  } while (after !== undefined)
})

export const crash = Effect.fnUntraced(function* (
  action: Action<"crash">,
  reference: Reference,
  real: Real,
) {
  const { carriesCode, isAnswered, org, person } = action
  const organization = organizationOf(real, org)
  const expected = reference.crash(action)
  const index = reference.allMessages.length
  const id = (prefix: string) => sortable(prefix, reference.now, unlikelyBytes(index))
  const draft = Samples.newMessage({
    id: MessageId(id("msg")),
    text: carriesCode ? "•••••• is your verification code." : "crashed",
    leaseMillis,
    settleMillis,
  })
  const version = (yield* real.store.account(organization))?.version ?? 0
  const requestId = RequestId(id("vrf"))
  const code = Redacted.make(String(index).padStart(8, "7"))
  const owner = { organization, requestId }
  const common = {
    organization,
    version,
    phoneNumber: PhoneNumber.fromE164(phoneOf(person)),
    isCounted: false,
    draft,
  }
  const limits = limitsOf(real.config)
  const committed = yield* real.store.execute(
    carriesCode
      ? Samples.requestVerification({
          ...common,
          requestId,
          code: yield* real.codes.digest(owner, code),
          // The code, its locale, the sender and the payment, as another node reads them.
          sealed: yield* real.codes.seal(
            owner,
            JSON.stringify([Redacted.value(code), "en-us", null, null]),
          ),
          limits,
          rules: rulesOf(real.config),
          erased: yield* real.codes.phoneNumber(organization, common.phoneNumber),
        })
      : Samples.holdMessage({
          ...common,
          limits,
        }),
  )
  const { result } = committed
  const isCharged = result._tag === "Held" || result._tag === "Requested"
  if (isCharged && isAnswered) {
    const text = carriesCode ? `${Redacted.value(code)} is your verification code.` : "crashed"
    yield* real.send({
      token: draft.id,
      ref: { organization, sequence: result.messageSequence },
      purpose: carriesCode ? "verification" : "message",
      class: "transactional",
      channel: "sms",
      phoneNumber: common.phoneNumber,
      sender: draft.sender,
      text: Redacted.make(text),
    })
  }
  yield* learnRequests(real, reference, Redacted.value(code))
  const actual =
    result._tag === "Limited" ||
    result._tag === "GuessesLimited" ||
    result._tag === "Capped" ||
    result._tag === "Suspected"
      ? `RateLimited ${result.retryAfterSeconds}`
      : result._tag === "Insufficient"
        ? `InsufficientBalance ${result.required} of ${result.available}`
        : result._tag === "TooManyPending"
          ? `TooManyPending ${result.retryAfterSeconds}`
          : isCharged
            ? isAnswered
              ? "answered"
              : "held"
            : result._tag
  return { expected: [expected], actual: [actual] }
})
