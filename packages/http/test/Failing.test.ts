import { Access } from "@countersign/core/engine/Access"
import * as Errors from "@countersign/core/domain/errors/Errors"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { Messages } from "@countersign/core/services/Messages"
import { Store } from "@countersign/core/ports/Store"
import { assert, describe } from "@effect/vitest"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import * as Http from "../src/tenant/TenantHttp.ts"
import { logged } from "../../../test/support/observed.ts"
import { digits, number, open, send } from "./support/Subject.ts"
import { engineTest } from "./support/engineTest.ts"
import { testsOver } from "../../../test/support/testsOver.ts"

const overloaded = new Errors.StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 3 })

/** A store that fails from a given moment. */
const failing = () => {
  let isDown = false
  const store = Layer.sync(Store, () => {
    const memory = MemoryStore.make()
    const guarded = <A>(effect: Effect.Effect<A, Errors.StoreUnavailable>) =>
      Effect.suspend(() => (isDown ? Effect.fail(overloaded) : effect))
    return Store.of({
      ...memory,
      execute: (command) => guarded(memory.execute(command)),
      account: (id) => guarded(memory.account(id)),
      messages: (organization, query) => guarded(memory.messages(organization, query)),
    })
  })
  return { store, goDown: Effect.sync(() => (isDown = true)) }
}

/** Messages whose sending ends as it should not. */
const withMessages = (send: Messages["Service"]["send"]) =>
  Effect.map(Messages, (messages) => Messages.of({ ...messages, send }))

describe("A store that is unavailable", () => {
  const { goDown, store } = failing()

  testsOver(TestEngine.layer({ store })).effect(
    "is a 503 on every endpoint, with a retry time",
    function* () {
      const { call } = yield* open()
      assert.strictEqual((yield* call("/balance")).status, 200)
      yield* goDown
      const calls = [
        call("/messages", { body: { to: digits, message: "hello" } }),
        call("/messages", { body: {} }),
        call("/messages", { body: "{" }),
        call("/messages"),
        call("/balance"),
        call("/verify", { body: { phone_number: number } }),
        call("/verify/check", { body: { request_id: "x", code: "1" } }),
        call("/verify/check", { body: "", headers: { "content-type": undefined } }),
      ]
      for (const answer of yield* Effect.all(calls)) {
        assert.strictEqual(answer.status, 503)
        assert.deepStrictEqual(answer.body, { error: "Temporarily unavailable", retry_after: 3 })
        assert.strictEqual(answer.headers["retry-after"], "3")
        assert.strictEqual(answer.headers["countersign-error"], "unavailable")
      }
    },
  )
})

describe("An organization that no longer exists", () => {
  engineTest("has no valid keys", function* () {
    const access = yield* Access
    const gone = Access.of({
      ...access,
      authenticate: () => Effect.succeed({ organization: OrganizationId("gone") }),
    })
    const { call } = yield* Effect.provideService(open(), Access, gone)
    assert.strictEqual((yield* call("/balance")).status, 401)
    assert.strictEqual((yield* call("/verify", { body: "{" })).status, 401)
    assert.strictEqual((yield* call("/verify", { body: {} })).status, 401)
  })
})

describe("A defect", () => {
  const secret = `no such column near '${number}'`
  const { layer, lines } = logged()

  testsOver(Layer.merge(TestEngine.layer(), layer)).effect.each([
    ["an error", new TypeError(secret), ["TypeError", "Failing.test.ts"]],
    ["any other value", secret, []],
  ] as const)("is 500 {error}, and logged without the content: %s", function* ([, defect, known]) {
    const messages = yield* withMessages(() => Effect.die(defect))
    const { call, key } = yield* Effect.provideService(open(), Messages, messages)
    const body = { to: digits, message: "hello" }
    const answer = yield* call("/messages?to=+8801700000000", { body })
    assert.strictEqual(answer.status, 500)
    assert.deepStrictEqual(answer.body, { error: "Internal error" })
    assert.strictEqual(answer.headers["countersign-error"], "internal")
    assert.strictEqual(answer.headers["cache-control"], "no-store")
    const [line = ""] = lines
    assert.lengthOf(lines, 1)
    for (const text of ["A request ended in a defect", ...known]) assert.include(line, text)
    const hidden = [digits, "8801700000000", "no such column", "hello", Redacted.value(key)]
    for (const text of hidden) assert.notInclude(line, text)
  })
})

describe("A client that disconnects", () => {
  const { layer, lines } = logged()

  testsOver(Layer.merge(TestEngine.layer(), layer)).effect(
    "interrupts its request without a log line",
    function* () {
      const sending = yield* Deferred.make<void>()
      const messages = yield* withMessages(() =>
        Effect.andThen(Deferred.succeed(sending, undefined), Effect.never),
      )
      const { call } = yield* Effect.provideService(open(), Messages, messages)
      const body = { to: digits, message: "hello" }
      const fiber = yield* Effect.forkChild(call("/messages", { body }))
      yield* Deferred.await(sending)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.deepStrictEqual(lines, [])
    },
  )
})

describe("A server that stops", () => {
  /** Stops during a request, which finishes when the test lets it. */
  const ending = Effect.gen(function* () {
    const { key } = yield* TestEngine.open()
    const messages = yield* Messages
    const answer = yield* Deferred.make<void>()
    const scope = yield* Scope.make()
    const handler = yield* Http.makeDraining({ shutdownTimeout: "5 seconds" }).pipe(
      Scope.provide(scope),
      Effect.provideService(
        Messages,
        Messages.of({
          ...messages,
          list: (input) => Effect.andThen(Deferred.await(answer), messages.list(input)),
        }),
      ),
    )
    const request = yield* send(handler, "/api/v2/messages", Redacted.value(key)).pipe(
      Effect.forkChild({ startImmediately: true }),
    )
    const end = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    return { request, end, finish: Deferred.succeed(answer, undefined) }
  })

  engineTest("waits for requests in progress", function* () {
    const { end, finish, request } = yield* ending
    yield* TestClock.adjust("4 seconds")
    assert.isUndefined(end.pollUnsafe())
    yield* finish
    assert.strictEqual((yield* Fiber.join(request)).status, 200)
    yield* Fiber.join(end)
  })

  engineTest("does not wait beyond its bound", function* () {
    const { end } = yield* ending
    yield* TestClock.adjust("5 seconds")
    yield* Fiber.join(end)
  })
})
