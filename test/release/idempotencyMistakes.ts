/**
 * Mistakes in the repeats of calls with idempotency keys; see `mistakes.ts`.
 */
import type { Mistake } from "./planting.ts"

const source = "packages/core/src"
const decisions = "packages/core/test/decide/Decision.idempotency.test.ts"
const calls = "packages/core/test/services/Idempotency.test.ts"
const suite = "packages/core/test/adapters/MemoryStore.test.ts"
const model = {
  path: "packages/core/test/adapters/MemoryStore.model.test.ts",
  title: "the engine over the memory store answers as the model does, history by history",
}
const stops = "packages/core/test/services/Idempotency.stops.test.ts"

export const idempotency: ReadonlyArray<Mistake> = [
  {
    name: "another call under a used key gets the answer of the first",
    file: `${source}/decide/Decision.ts`,
    find: "isSameCall(key, call) ?",
    replace: "key.id === call.id ?",
    test: { path: decisions, title: "another call with the key: IdempotencyMismatch" },
  },
  {
    name: "an idempotency key is kept a millisecond too long",
    file: `${source}/decide/Decision.ts`,
    find: "now < key.expiresAt",
    replace: "now <= key.expiresAt",
    test: { path: suite, title: "a key is free after 24 hours, and not before" },
  },
  {
    name: "the Effect client sends a call without its key",
    file: "packages/http/src/tenant/Client.ts",
    find: "          HttpClient.mapRequestEffect(addIdempotencyKey),\n",
    replace: "",
    test: {
      path: "packages/http/test/tenant/Client.test.ts",
      title: "gives a call an idempotency key, which no other call has",
    },
  },
  {
    name: "a charge forgets the key of its call",
    file: `${source}/decide/internal/decider.ts`,
    find: "idempotencyKey: newKey(context, idempotency, { messageSequence: sequence, requestId }),",
    replace: "",
    test: { path: suite, title: "of twelve calls with one key at once, one has its effect" },
  },
  {
    name: "a second answer replaces the first",
    file: `${source}/decide/internal/idempotencyDeciders.ts`,
    find: "key.answer !== null",
    replace: "key.answer === command.answer",
    test: { path: decisions, title: "a second answer: Answered" },
  },
  {
    name: "a key of one endpoint is used up by another",
    file: `${source}/services/internal/idempotency.ts`,
    find: "sha256(`${endpoint}\\n${key}`)",
    replace: "sha256(key)",
    test: { path: calls, title: "belongs to one call, one endpoint and one organization" },
  },
  {
    name: "a repeat from another address of the same visitor is another call",
    file: `${source}/services/internal/idempotency.ts`,
    find: "address: _address, client: _client, key",
    replace: "address: _address, key",
    test: {
      path: calls,
      title: "is the same call with its metadata in another order, and from another client",
    },
  },
  {
    name: "the order of metadata makes another call",
    file: `${source}/services/internal/idempotency.ts`,
    find: "metadata: valueOf(fields.metadata)",
    replace: "metadata: fields.metadata",
    test: {
      path: calls,
      title: "is the same call with its metadata in another order, and from another client",
    },
  },
  {
    name: "a repeat after a crash does not wait for the SMS that follows",
    file: `${source}/services/internal/answers.ts`,
    find: "message.followAt === null ? failedIn(message) :",
    replace: "message.sequence > 0 ? failedIn(message) :",
    test: {
      path: stops,
      title: "before FollowVerification, a repeat waits for the SMS and then tells of it",
    },
  },
  {
    name: "a consumed request forgets the key of its call",
    file: `${source}/decide/internal/verificationDeciders.ts`,
    find: "idempotencyKey: newKey(context, idempotency, { messageSequence: null, requestId }),",
    replace: "",
    test: model,
  },
  {
    name: "calls with one key are the same call with any input",
    file: `${source}/services/internal/idempotency.ts`,
    find: "JSON.stringify([key, fieldsOf(input)])",
    replace: "JSON.stringify([key, fieldsOf({ organization: input.organization })])",
    test: model,
  },
  {
    name: "a repeat is refused because its request has changed since",
    file: `${source}/services/internal/idempotency.ts`,
    find: "if (isFinal(error)) return Effect.fail(error)",
    replace: "if (!isRepeated(error)) return Effect.fail(error)",
    test: model,
  },
  {
    name: "a repeat of a resend over WhatsApp counts once more",
    file: `${source}/services/internal/requestLife.ts`,
    find: '_tag: "AdmitResend",\n          idempotency: call,',
    replace: '_tag: "AdmitResend",\n          idempotency: undefined,',
    test: model,
  },
  {
    name: "an answer is not recorded before its caller gets it",
    file: `${source}/services/internal/idempotency.ts`,
    find: "if (call === undefined) return outcome",
    replace: "if (call !== null) return outcome",
    test: { path: calls, title: "sends one message, and gets the first answer" },
  },
  {
    name: "a retry of the client has no idempotency key",
    file: "packages/client/src/internal/call.ts",
    find: "isKeyed === true ? keyText(idempotencyKey) : undefined",
    replace: "isKeyed === undefined ? keyText(idempotencyKey) : undefined",
    test: {
      path: "packages/client/test/Retries.test.ts",
      title: "is repeated under one key, for every kind of failure: messages.send",
    },
  },
]
