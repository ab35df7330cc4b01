import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { Store } from "@countersign/core/ports/Store"
import { Audit } from "@countersign/core/services/Audit"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ask, type EndpointName, mount, world } from "../support/AdminSubject.ts"
import { engineTest } from "../support/engineTest.ts"
import { testsOver } from "../../../../test/support/testsOver.ts"

/** A store that cannot record what changes nothing in the engine. */
const withoutAudit = Layer.sync(Store, () => {
  const memory = MemoryStore.make()
  return Store.of({
    ...memory,
    execute: (command) =>
      command._tag === "RecordAudit"
        ? Effect.fail(new StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 3 }))
        : memory.execute(command),
  })
})

const acts: ReadonlyArray<EndpointName> = [
  "messages.send",
  "batches.send",
  "verifications.send",
  "verifications.check",
  "verifications.resend",
  "verifications.cancel",
  "webhooks.test",
  "privacy.export",
]

describe("the audit of the admin API", () => {
  testsOver(TestEngine.layer({ store: withoutAudit })).effect.each(acts)(
    "%s is refused, and does nothing, if the audit fails",
    function* (name) {
      const { example, organization } = yield* world
      const store = yield* Store
      const before = yield* store.account(organization)
      let tested = 0
      const send = yield* mount().pipe(
        Effect.updateService(Webhooks, (service) => ({
          ...service,
          sendTest: (hook) => Effect.suspend(() => ((tested += 1), service.sendTest(hook))),
        })),
      )
      const { path, ...call } = example(name)
      const answer = yield* ask(send, path, call)
      assert.strictEqual(answer.status, 503, answer.text)
      assert.strictEqual(tested, 0)
      // Every change of the log, a request or the balance has a version of its own.
      assert.deepStrictEqual(yield* store.account(organization), before)
    },
  )

  engineTest.each([
    ["messages.send", "+8801*****678"],
    ["verifications.send", "+8801*****679"],
    ["privacy.export", "+8801*****678"],
  ] as const)("%s is recorded with the masked phone number", function* ([name, target]) {
    const { example, organization } = yield* world
    const { path, ...call } = example(name)
    yield* ask(yield* mount(), path, call)
    const { entries } = yield* Audit.use((_) => _.list({ organization, limit: 1 }))
    assert.deepStrictEqual(
      entries.map((entry) => entry.target),
      [target],
    )
  })

  engineTest("has problems with the fields of the caller only", function* () {
    yield* world
    const send = yield* mount()
    for (const phoneNumber of ["", "\u0000", `+880${"😀".repeat(300)}`]) {
      for (const path of ["messages", "verifications"]) {
        const body = { phoneNumber, text: "Hello" }
        const answer = yield* ask(send, `/organizations/acme/${path}`, { body })
        assert.strictEqual(answer.status, 422, answer.text)
        assert.property(Object(answer.body).details, "phoneNumber")
        assert.notProperty(Object(answer.body).details, "target")
      }
    }
    const unknown = `/organizations/acme/verifications/${"x".repeat(201)}/resend`
    assert.strictEqual((yield* ask(send, unknown, { body: {} })).status, 404)
  })
})
