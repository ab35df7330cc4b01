/** An engine whose log keeps no texts: everything is sent as with them, and no row has one. */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { type Behaviour, SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { balance, idempotencyKey, resend, sendMessage } from "../support/keyed.ts"
import { logOf } from "../support/log.ts"
import { check, phoneNumber, send } from "../support/verifying.ts"
import { versionOf } from "../support/versions.ts"
import { effectTest, testOn } from "../support/engineTest.ts"

const withoutBodies = { ...defaults, bodies: false }
const refuse: Behaviour = { _tag: "Reject", message: "Your parcel is here: no such user" }

const engine = (gateway: TestEngine.Options["gateway"] = {}) =>
  TestEngine.layer({
    store: Layer.sync(Store, () => MemoryStore.make(withoutBodies)),
    gateway,
  }).pipe(Layer.provide(Fallback.layer({})))

const textsOf = Effect.fnUntraced(function* (organization: OrganizationId) {
  const { messages } = yield* Messages.use((_) => _.list({ organization }))
  return messages.map(({ text }) => text)
})

const arrived = Effect.map(
  SimulatedGateway.use(({ journal }) => journal(phoneNumber)),
  (entries) => entries.map(({ text }) => text),
)

describe("Without bodies", () => {
  testOn(engine())("a message arrives, is charged, and is repeated by its key", function* () {
    const { organization } = yield* TestEngine.open()
    const first = yield* sendMessage(organization)
    assert.deepStrictEqual(yield* sendMessage(organization), first)
    assert.deepStrictEqual(yield* arrived, ["Your parcel is here"])
    assert.strictEqual(yield* balance(organization), Samples.money("99.5"))
    assert.deepStrictEqual(yield* textsOf(organization), [""])
    const other = yield* Effect.flip(sendMessage(organization, { text: "Another text" }))
    assert.strictEqual(other._tag, "IdempotencyMismatch")
  })

  testOn(engine())("a code arrives, is sent again, and is checked", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization, { idempotencyKey })
    yield* TestClock.adjust(30_000)
    yield* resend(organization, requestId)
    const [second, first] = yield* arrived
    assert.strictEqual(second, first)
    assert.match(first ?? "", /\d{6}/)
    assert.deepStrictEqual(yield* textsOf(organization), ["", ""])
    yield* check(organization, requestId, yield* TestEngine.latestCode(phoneNumber))
  })

  testOn(
    engine({
      behave: (message) => (message.channel === "whatsapp" ? refuse : { _tag: "Deliver" }),
    }),
  )("a code that WhatsApp refuses follows by SMS", function* () {
    const { organization } = yield* TestEngine.open()
    const { channel, requestId } = yield* send(organization, { channel: "whatsapp" })
    assert.strictEqual(channel, "sms")
    assert.deepStrictEqual(yield* textsOf(organization), ["", ""])
    yield* check(organization, requestId, yield* TestEngine.latestCode(phoneNumber))
  })

  testOn(engine({ behave: () => refuse }))(
    "the words of a gateway that quotes the text are redacted",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* Effect.flip(sendMessage(organization))
      const { messages } = yield* Messages.use((_) => _.list({ organization }))
      assert.deepStrictEqual(
        messages.map(({ error, text }) => [text, error]),
        [["", "[text]: no such user"]],
      )
    },
  )

  testOn(engine({ capabilities: { tokenMillis: Infinity } }))(
    "a message whose node died is not sent again, and is refunded at its deadline",
    function* () {
      const { organization } = yield* TestEngine.open()
      const version = yield* versionOf(organization)
      yield* Store.use((store) => store.execute(Samples.holdMessage({ version })))
      const round = Settlement.use((_) => _.round)
      yield* TestClock.adjust(70_000)
      yield* round
      assert.deepStrictEqual(yield* arrived, [])
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, open, 2"])
      yield* TestClock.adjust(86_400_000)
      yield* round
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, released, 2"])
    },
  )

  effectTest("a stored text goes with the next change of its message", function* () {
    const records = { ...defaults }
    const store = MemoryStore.make(records)
    yield* store.createOrganization(Samples.organization())
    yield* store.execute(Samples.topUp({ amount: Samples.money("10") }))
    yield* store.execute(Samples.holdMessage())
    const text = Effect.map(
      store.message({ organization: Samples.organizationId, sequence: 1 }),
      (found) => found?.message?.text,
    )
    assert.strictEqual(yield* text, "Your parcel is here")
    Object.assign(records, { bodies: false })
    yield* store.execute(Samples.recordDispatch())
    assert.strictEqual(yield* text, "")
  })
})
