/**
 * What a node remembers after its database was restored. The restored database is another store, on which another node
 * has made as many changes as were lost.
 */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { WebhookId } from "../../src/domain/values/Ids.ts"
import { Access } from "../../src/engine/Access.ts"
import { Store } from "../../src/ports/Store.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { logOf } from "../support/log.ts"
import { versionOf } from "../support/versions.ts"
import { effectTest } from "../support/engineTest.ts"

const organization = Samples.organizationId

/** A node whose store a test replaces, and a node on the restored store. */
const nodes = Effect.fnUntraced(function* (gateway?: TestEngine.Options["gateway"]) {
  const restored = MemoryStore.make()
  let current = MemoryStore.make()
  const replaced = new Proxy(current, {
    get: (_, name) => Reflect.get(current, name),
  })
  const build = (store: Store["Service"], seed: number) =>
    Layer.build(TestEngine.layer({ gateway, store: Layer.succeed(Store, store), seed }))
  const here = yield* build(replaced, 1)
  const there = yield* build(restored, 2)
  const on =
    (context: typeof here) =>
    <A, E>(effect: Effect.Effect<A, E, TestEngine.TestEngine>): Effect.Effect<A, E> =>
      Effect.provide(effect, context)
  const restore = () => {
    current = restored
  }
  return { here: on(here), there: on(there), restore }
})

const block = (...blockedPrefixes: ReadonlyArray<string>) =>
  Organizations.use((_) => _.update({ id: organization, blockedPrefixes }))

const send = Messages.use((_) =>
  _.send({ organization, phoneNumber: "+8801712345678", text: "Your parcel is here" }),
)

describe("a node whose database was restored", () => {
  effectTest("takes the settings of the database, not those of the lost changes", function* () {
    const { here, restore, there } = yield* nodes()
    yield* here(Effect.andThen(TestEngine.open(), block("99")))
    yield* there(Effect.andThen(TestEngine.open(), block("880")))
    yield* here(send)
    restore()
    const refused = yield* Effect.flip(here(send))
    assert.strictEqual(refused._tag, "InvalidRequest")
  })

  effectTest("takes the settings of an organization that was created again", function* () {
    const { here, restore, there } = yield* nodes()
    const create = (...blockedPrefixes: ReadonlyArray<string>) =>
      Organizations.use((_) => _.create({ id: organization, blockedPrefixes }))
    yield* here(create("99"))
    yield* there(create("880"))
    restore()
    const refused = yield* Effect.flip(here(send))
    assert.strictEqual(refused._tag, "InvalidRequest")
  })

  effectTest("forgets the keys of an organization that the database does not have", function* () {
    const { here, restore } = yield* nodes()
    const { key } = yield* here(TestEngine.open())
    const authenticate = here(Access.use((_) => _.authenticate(key)))
    yield* authenticate
    restore()
    yield* Effect.flip(here(Organizations.use((_) => _.get({ id: organization }))))
    assert.strictEqual((yield* Effect.flip(authenticate))._tag, "Unauthorized")
  })

  effectTest("records no outcome for a message that has the sequence of a lost one", function* () {
    let restoreNow = () => {}
    const behave = () => {
      restoreNow()
      return { _tag: "Reject", message: "no such user" } as const
    }
    const { here, restore, there } = yield* nodes({ behave })
    yield* here(TestEngine.open())
    yield* there(TestEngine.open())
    const version = yield* there(versionOf())
    yield* there(Store.use((store) => store.execute(Samples.holdMessage({ version }))))
    restoreNow = restore
    yield* Effect.flip(here(send))
    assert.deepStrictEqual(yield* there(logOf(organization)), ["pending, open, 1"])
  })

  effectTest("follows the log from its newest event if the place is beyond it", function* () {
    const { there } = yield* nodes()
    yield* there(TestEngine.open())
    const { last } = yield* there(EventLog.use((_) => _.list({ organization })))
    const next = (after: number) => there(EventLog.use((_) => _.next({ organization, after })))
    assert.deepStrictEqual(yield* next(last + 5), { events: [], after: last })
    yield* there(block("99"))
    const { after, events } = yield* next(last)
    assert.deepStrictEqual([after, events.length], [last + 1, 1])
  })

  effectTest("records no deliveries of events that the database does not have", function* () {
    const { there } = yield* nodes()
    yield* there(TestEngine.open())
    const version = yield* there(versionOf())
    const { last } = yield* there(EventLog.use((_) => _.list({ organization })))
    const webhook = { organization, id: WebhookId("whk_1"), holder: "here" }
    const record = (position: number) =>
      there(
        Store.use((store) =>
          Effect.gen(function* () {
            const claim = { ...webhook, version, startsAfter: 0, leaseMillis: 0 }
            yield* store.execute({ _tag: "ClaimWebhook", ...claim })
            const round = { position, previous: null, deliveries: [] }
            const recorded = yield* store.execute({ _tag: "RecordDeliveries", ...webhook, round })
            return recorded.result._tag
          }),
        ),
      )
    assert.strictEqual(yield* record(last + 1), "Fenced")
    assert.strictEqual(yield* record(last), "DeliveriesRecorded")
  })
})
