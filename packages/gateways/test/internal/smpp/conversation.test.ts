import { assert } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { createServer } from "node:net"
import { test } from "../../../../../test/support/gatewayTest.ts"
import { connection, listening } from "../../../../../test/support/loopback.ts"
import { Conversation } from "../../../src/internal/smpp/conversation.ts"
import { type Answer, type Job, Line } from "../../../src/internal/smpp/session.ts"
import { submit } from "../../support/pdus.ts"

/** A connection, and the other end of it, which does not read. */
const connected = Effect.gen(function* () {
  const port = yield* listening(createServer((socket) => socket.on("error", () => {}).pause()))
  return yield* connection(port)
})

test("a connection that is closing sends nothing", function* () {
  const conversation = new Conversation(yield* connected, () => {})
  const line = new Line({ answerMillis: 1_000, maxQueued: 10, window: 10 }, conversation)
  const answers: Array<Answer> = []
  const done = (answer: Answer) => void answers.push(answer)
  const job: Job = { message: submit, until: 1_000, done, late: done }
  line.add(job, false)
  conversation.close()
  line.next(0)
  line.add(job, false)
  assert.deepStrictEqual(
    answers.map(({ _tag }) => _tag),
    ["NotSent", "NotSent"],
  )
  yield* Deferred.await(conversation.closed)
})

test("abandoning closes a connection at once, even if the peer never reads", function* () {
  const socket = yield* connected
  const conversation = new Conversation(socket, () => {})
  const value = new Uint8Array(60_000)
  // More than the system keeps for a connection, so that some of it cannot leave.
  while (socket.writableLength < 1_000_000) {
    conversation.answer({
      command: "submit_sm_resp",
      messageId: "",
      tlvs: [{ tag: 1, value }],
      status: 0,
      sequence: 1,
    })
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  assert.isFalse(conversation.isClosed)
  conversation.abandon()
  yield* Deferred.await(conversation.closed)
})
