/** The answer to a repeat whose first answer was not recorded: it follows from the rows. */
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Message } from "../../src/domain/messages/Message.ts"
import type { RequestId } from "../../src/domain/values/Ids.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Store } from "../../src/ports/Store.ts"
import * as StoredAnswer from "../../src/engine/StoredAnswer.ts"
import { effectTest } from "../support/engineTest.ts"

const { account, idempotencyKey, money, now, requestId, verification } = Samples

type Rows = Partial<Message>

const unsent = { status: "rejected", failureReason: "recipient", error: "barred" } as const
const delivered = { status: "delivered", gatewayId: "g" } as const
const taken = { status: "accepted", gatewayId: null } as const
const inFlight = { _tag: "IdempotencyInFlight", retryAfterSeconds: 5 }
const refused = { _tag: "SendingFailed", status: "failed", reason: "recipient" }
const unknown = { _tag: "SendingFailed", status: "unknown", reason: "unknown" }

/** The answer 5 seconds after `now`, or the failure, as plain data. */
const plain = (answer: Effect.Effect<object, object>) =>
  Effect.map(Effect.match(answer, { onFailure: (e) => e, onSuccess: (a) => a }), (found) => ({
    ...found,
  }))

const storeOf = (
  messages: ReadonlyArray<Rows>,
  request?: Parameters<typeof verification>[0],
  hasAccount = true,
) =>
  Store.of({
    ...MemoryStore.make(),
    account: () => Effect.succeed(hasAccount ? account({ balance: money("7") }) : undefined),
    verification: () => Effect.succeed(request && { verification: verification(request), now }),
    message: ({ sequence }) =>
      Effect.succeed({
        version: 1,
        message: messages[sequence - 1] && Samples.message({ ...messages[sequence - 1], sequence }),
      }),
  })

describe("the answer to the repeat of a message", () => {
  effectTest.each<readonly [Rows, object]>([
    [{}, inFlight],
    [{ dueAt: now + 8_000 }, { ...inFlight, retryAfterSeconds: 3 }],
    [{ dueAt: now + 4_000 }, { ...inFlight, retryAfterSeconds: 1 }],
    [{ dueAt: null }, { ...inFlight, retryAfterSeconds: 1 }],
    [
      { ...unsent, vendorCode: "7" },
      { ...refused, gateway: "simulated", vendorCode: "7", vendorMessage: "barred" },
    ],
    [{ status: "failed" }, { ...refused, reason: "unknown", vendorMessage: null }],
    [
      { status: "unknown", error: "no answer" },
      { ...unknown, vendorMessage: "no answer" },
    ],
    [
      { ...delivered, channel: "whatsapp" },
      {
        _tag: "MessageSent",
        gatewayId: "g",
        channel: "whatsapp",
        balance: money("7"),
        status: "delivered",
      },
    ],
    [taken, { gatewayId: Samples.messageId(), status: "accepted" }],
  ])("with %j is %j", function* ([row, expected]) {
    const answerTo = (hasAccount: boolean) =>
      plain(
        StoredAnswer.ofMessage(storeOf([], undefined, hasAccount))(
          Samples.message(row),
          idempotencyKey(),
          now + 5_000,
        ),
      )
    const answer = yield* answerTo(true)
    assert.deepInclude(answer, expected)
    if ("balance" in answer) assert.deepInclude(yield* answerTo(false), { balance: 0 })
  })
})

describe("the answer to the repeat of a code", () => {
  const sent = {
    _tag: "CodeSent",
    channel: "sms",
    expiresAt: now + 300_000,
    expiresInSeconds: 300,
    resendsRemaining: 3,
    resendAt: now + 30_000,
  }
  const two = { earlierMessages: [1], messageSequence: 2 }
  const three = { earlierMessages: [1, 2], messageSequence: 3 }
  effectTest.each<
    readonly [
      ReadonlyArray<Rows>,
      Parameters<typeof verification>[0] | undefined,
      object,
      (RequestId | null)?,
      number?,
    ]
  >([
    [[delivered], {}, sent],
    [[delivered], {}, unknown, null],
    [[delivered], undefined, unknown],
    [[{}], {}, inFlight],
    [[unsent], {}, refused],
    [[{ ...unsent, followAt: now }], {}, inFlight],
    // The second message may have carried the code, but not if the first one has.
    [[{ ...unsent, channel: "whatsapp" }, delivered], two, sent],
    [[{ ...delivered, channel: "whatsapp" }, delivered], two, { ...sent, channel: "whatsapp" }],
    [[unsent, {}], two, inFlight],
    [[unsent, unsent, taken], three, sent],
    [[unsent, taken, unsent], three, sent],
    // A message that retention has dropped.
    [[unsent, { ...unsent, failureReason: "content" }], three, { ...refused, reason: "content" }],
    // The time begins with the message of the call.
    [[unsent, { ...delivered, createdAt: now + 30_500 }], two, sent],
    // The first message of a resend is not that of its request.
    [[unsent, delivered], two, sent, requestId(), 2],
    [[delivered, unsent], two, refused, requestId(), 2],
    [[{ ...delivered, createdAt: now + 60_500 }], {}, { expiresInSeconds: 239 }],
    [[delivered], { resends: 4 }, { resendsRemaining: 0, resendAt: null }],
    [[delivered], { sentAt: now + 269_999 }, { resendAt: now + 299_999 }],
    [[delivered], { sentAt: now + 270_000 }, { resendsRemaining: 3, resendAt: null }],
  ])("with %j of %j is %j", function* ([messages, request, expected, id = requestId(), first = 1]) {
    const answer = yield* plain(
      StoredAnswer.ofCode(storeOf(messages, request), { resends: 3, resendCooldownMillis: 30_000 })(
        Samples.message({ ...messages[first - 1], sequence: first }),
        idempotencyKey({ requestId: id }),
        now + 5_000,
      ),
    )
    assert.deepInclude(answer, expected)
  })
})
