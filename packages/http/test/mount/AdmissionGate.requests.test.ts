import { ApiKeys } from "@countersign/core/services/ApiKeys"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { Store } from "@countersign/core/ports/Store"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { fromWeb, HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Http from "../../src/tenant/TenantHttp.ts"
import { keyText } from "../support/keys.ts"
import { test } from "../../../../test/support/testsOver.ts"

/**
 * An interface with room for two requests of each key, and a store whose answers, and outcomes of dispatches, can be
 * held back.
 */
const serve = Effect.gen(function* () {
  const latch = Latch.makeUnsafe(true)
  const outcomes = Latch.makeUnsafe(true)
  const memory = MemoryStore.make()
  const store = Store.of({
    ...memory,
    apiKey: (id) => latch.whenOpen(memory.apiKey(id)),
    account: (id) => latch.whenOpen(memory.account(id)),
    execute: (command, options) =>
      command._tag === "RecordDispatch"
        ? outcomes.whenOpen(memory.execute(command, options))
        : memory.execute(command, options),
  })
  const context = yield* Layer.build(
    TestEngine.layer({
      store: Layer.succeed(Store, store),
      // Sends are answered before their outcome is written.
      gateway: { capabilities: { lookup: true, lookupByToken: true } },
    }),
  )
  const on = Effect.provideContext(context)
  const handler = yield* on(Http.makeDraining({ maxRequestsPerKey: 2 }))
  // Before the end of the handler, which waits for requests that are under way.
  yield* Effect.addFinalizer(() => Effect.andThen(latch.open, outcomes.open))
  const answer = (path: string, init: RequestInit) =>
    Effect.suspend(() => {
      const request = fromWeb(new Request(`http://countersign.test/api/v2/${path}`, init))
      return Effect.map(
        Effect.scoped(Effect.provideService(handler, HttpServerRequest, request)),
        ({ status }) => status,
      )
    })
  const balance = (authorization: string) => answer("balance", { headers: { authorization } })
  const send = (authorization: string) =>
    answer("messages", {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ to: "+8801712345678", message: "hello" }),
    })
  /** Sends one after another, each as far as it gets. */
  const start = (authorizations: ReadonlyArray<string>) =>
    Effect.forEach(authorizations, (authorization) =>
      Effect.forkChild(balance(authorization), { startImmediately: true }),
    )
  return {
    latch,
    outcomes,
    balance,
    send,
    start,
    opened: yield* on(TestEngine.open()),
    revoke: (opened: TestEngine.Opened) =>
      on(
        ApiKeys.use((keys) => keys.revoke({ organization: opened.organization, id: opened.keyId })),
      ),
  }
})

const bearer = ({ key }: TestEngine.Opened): string => `Bearer ${Redacted.value(key)}`

/** How many have an answer already. */
const answered = (fibers: ReadonlyArray<Fiber.Fiber<number>>): ReadonlyArray<number> =>
  fibers.flatMap((fiber) => {
    const exit = fiber.pollUnsafe()
    return exit?._tag === "Success" ? [exit.value] : []
  })

const unknownKeys = [..."abcdef"].map((letter) => `Bearer ${keyText(letter.repeat(16), letter)}`)

describe("A node that is full", () => {
  test.effect(
    "serves a known key while unknown keys, and wrong keys with its id, wait",
    function* () {
      const { balance, latch, opened, start } = yield* serve
      assert.strictEqual(yield* balance(bearer(opened)), 200)
      yield* latch.close
      const wrong = [..."gh"].map((letter) => `Bearer ${keyText(opened.keyId, letter)}`)
      const fibers = yield* start([...unknownKeys, ...wrong])
      assert.deepStrictEqual(
        answered(fibers),
        Array.from({ length: 6 }, () => 503),
      )
      const [served] = yield* start([bearer(opened)])
      assert.deepStrictEqual(answered(served === undefined ? [] : [served]), [])
      yield* latch.open
      assert.strictEqual(yield* Fiber.join(served ?? assert.fail()), 200)
      assert.deepStrictEqual((yield* Fiber.joinAll(fibers)).slice(0, 2), [401, 401])
    },
  )

  test.effect(
    "counts a send until its outcome is recorded, and refuses others meanwhile",
    function* () {
      const { balance, opened, outcomes, send } = yield* serve
      assert.strictEqual(yield* balance(bearer(opened)), 200)
      yield* outcomes.close
      const sent = yield* Effect.replicateEffect(send(bearer(opened)), 5)
      assert.deepStrictEqual(sent, [200, 200, 503, 503, 503])
      assert.strictEqual(yield* balance(bearer(opened)), 503)
      yield* outcomes.open
      yield* Effect.yieldNow
      assert.strictEqual(yield* send(bearer(opened)), 200)
    },
  )
})
