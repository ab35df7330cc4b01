import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Senders } from "../../src/services/Senders.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { type Behaviour, SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Templates from "../../src/text/Templates.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { lockable } from "../support/lockable.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { accept, deliver, refuse } from "../support/telling.ts"
import { check, phoneNumber, send } from "../support/verifying.ts"
import { testOn } from "../support/engineTest.ts"

const engine = (whatsapp: Behaviour, sms: Behaviour, store = MemoryStore.make()) =>
  TestEngine.layer({
    running: true,
    store: Layer.succeed(Store, store),
    gateway: { behave: ({ channel }) => (channel === "sms" ? sms : whatsapp) },
  }).pipe(Layer.provide(Fallback.layer()))

const viaWhatsApp = (organization: OrganizationId) => send(organization, { channel: "whatsapp" })

const channels = Effect.map(
  SimulatedGateway.use((gateway) => gateway.journal()),
  (journal) => journal.map(({ channel }) => channel).toSorted(),
)

describe("A code that no channel has delivered for certain", () => {
  it.effect.each([refuse, { _tag: "NotSend", message: "no route" }] satisfies Array<Behaviour>)(
    "stays valid if WhatsApp has only not reported, even if the SMS ends as $_tag",
    (sms) =>
      Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        const { requestId } = yield* viaWhatsApp(organization)
        const code = yield* TestEngine.latestCode(phoneNumber)
        yield* TestClock.adjust(30_000)
        assert.deepStrictEqual(yield* channels, ["sms", "whatsapp"])
        assert.strictEqual((yield* check(organization, requestId, code)).status, "verified")
      }).pipe(Effect.provide(engine(accept, sms))),
  )

  testOn(engine(accept, refuse))(
    "fails its request if WhatsApp has reported it lost and the SMS is refused",
    function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* viaWhatsApp(organization)
      const gateway = yield* SimulatedGateway
      const [sent] = yield* gateway.journal()
      yield* gateway.report(sent?.id ?? "", "undelivered")
      yield* TestClock.adjust(0)
      const { status } = yield* Verifications.use((_) => _.status({ organization, requestId }))
      assert.strictEqual(status, "failed")
    },
  )
})

describe("A second message", () => {
  it.effect("fails its request if it can no longer be sent", () => {
    const memory = MemoryStore.make()
    const store = Store.of({
      ...memory,
      execute: (command) => {
        const executed = memory.execute(command)
        if (command._tag !== "RecordDispatch") return executed
        const gone = memory.changeOrganization(command.organization, (one) => ({
          ...one,
          senders: one.senders.filter(({ kind }) => kind === "whatsapp"),
        }))
        return Effect.tap(executed, () => gone)
      },
    })
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      for (let time = 0; time < 6; time++) {
        yield* Senders.use((_) =>
          _.save({
            organization,
            id: "line",
            kind: "non-masking",
            sender: "8809600000000",
            status: "approved",
            isDefault: true,
          }),
        )
        const error = yield* Effect.flip(viaWhatsApp(organization))
        // A request that stayed pending would take one of five places.
        assert.strictEqual(error._tag, "SendingFailed")
      }
    }).pipe(Effect.provide(engine(refuse, deliver, store)))
  })

  it.effect("fails its request without a charge if its text cannot be sent", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      for (let time = 0; time < 6; time++) {
        const error = yield* Effect.flip(viaWhatsApp(organization))
        // A request that stayed pending would take one of five places.
        assert.deepInclude(error, { _tag: "SendingFailed", status: "failed" })
      }
      assert.deepStrictEqual(
        yield* channels,
        Array.from({ length: 6 }, () => "whatsapp"),
      )
      assert.match(yield* moneyOf(organization), /^100\.00 \+ 0\.00 held/)
    }).pipe(
      Effect.provide(engine(refuse, deliver)),
      Effect.provideService(
        Templates.Templates,
        Templates.make([
          {
            locale: "en-us",
            template: ({ channel, code }) => (channel === "sms" ? `${code}\u0000` : code),
          },
        ]),
      ),
    ),
  )

  it.effect("is sent even if the store was unavailable for a moment", () => {
    const memory = MemoryStore.make()
    let failures = 1
    const store = Store.of({
      ...memory,
      execute: (command) =>
        Effect.suspend(() =>
          command._tag === "FollowVerification" && failures-- > 0
            ? Effect.fail(new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 }))
            : memory.execute(command),
        ),
    })
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* viaWhatsApp(organization)
      yield* TestClock.adjust(30_000)
      assert.deepStrictEqual(yield* channels, ["whatsapp"])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* channels, ["sms", "whatsapp"])
    }).pipe(Effect.provide(engine(accept, deliver, store)))
  })

  it.effect("is sent in time while the lock of another organization is held", () => {
    const { locked, store } = lockable()
    return Effect.gen(function* () {
      const busy = yield* TestEngine.open({ id: "busy" })
      const other = yield* TestEngine.open({ id: "other" })
      for (const { organization } of [busy, busy, busy, other]) yield* viaWhatsApp(organization)
      locked.add(busy.organization)
      yield* TestClock.adjust(30_000)
      assert.deepStrictEqual(yield* logOf(other.organization), [
        "accepted, none, 1",
        "delivered, captured, 1",
      ])
      assert.strictEqual((yield* logOf(busy.organization)).length, 3)
      locked.clear()
      yield* TestClock.adjust(30_000)
      assert.strictEqual((yield* logOf(busy.organization)).length, 6)
    }).pipe(Effect.provide(engine(accept, deliver, store)))
  })

  const lost = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })

  it.effect.each([
    ["as before", false],
    ["by newer settings", true],
  ])("is sent once even if the answer to its commit was lost, %s", ([, isChanged]) => {
    const memory = MemoryStore.make()
    let losses = 1
    const store = Store.of({
      ...memory,
      execute: (command) =>
        Effect.suspend(() => {
          const executed = memory.execute(command)
          if (command._tag !== "FollowVerification" || losses-- <= 0) return executed
          const changed = memory.changeOrganization(command.organization, (one) => one)
          return executed.pipe(
            Effect.andThen(isChanged ? Effect.asVoid(changed) : Effect.void),
            Effect.andThen(Effect.fail(lost)),
          )
        }),
    })
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const fiber = yield* Effect.forkChild(viaWhatsApp(organization))
      yield* TestClock.adjust(1_000)
      const { channel, requestId } = yield* Fiber.join(fiber)
      assert.strictEqual(channel, "sms")
      assert.deepStrictEqual(yield* channels, ["sms", "whatsapp"])
      assert.deepStrictEqual(yield* logOf(organization), [
        "rejected, none, 1",
        "delivered, captured, 1",
      ])
      assert.strictEqual(yield* moneyOf(organization), "99.50 + 0.00 held, 3 entries")
      const code = yield* TestEngine.latestCode(phoneNumber)
      assert.strictEqual((yield* check(organization, requestId, code)).status, "verified")
    }).pipe(Effect.provide(engine(refuse, deliver, store)))
  })
})
