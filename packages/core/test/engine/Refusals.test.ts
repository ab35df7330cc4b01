import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import type { Settings } from "../../src/domain/organizations/Organization.ts"
import { Limits, defaults as defaultLimits } from "../../src/domain/limits/Limits.ts"
import {
  defaults,
  type Records,
  Records as RecordsReference,
} from "../../src/domain/organizations/RecordOptions.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import type { Command } from "../../src/decide/Command.ts"
import { Store } from "../../src/ports/Store.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import * as Refusals from "../../src/engine/Refusals.ts"
import { Totals } from "../../src/services/Totals.ts"
import type { Verifications } from "../../src/services/verifications/Verifications.ts"
import { maxPerCause, RefusalReports } from "../../src/engine/internal/refusalBuffer.ts"
import { lines, list } from "../support/refusing.ts"
import { check, phoneNumber, resend, send } from "../support/verifying.ts"
import { engineTest, testOn, testWith } from "../support/engineTest.ts"

const pause = Duration.toMillis(Refusals.pause)

const configure = (organization: OrganizationId, settings: Partial<Settings>) =>
  Organizations.use((_) => _.update({ id: organization, ...settings }))

const counts = (organization: OrganizationId) =>
  Effect.map(
    Totals.use((_) =>
      _.read({ organization, from: 0, to: 1, kinds: ["refusals"], by: ["outcome", "country"] }),
    ),
    (rows) => rows.map(({ count, country, outcome }) => `${outcome} ${country} ${count}`),
  )

const flush = Refusals.Refusals.use((_) => _.flush())

const isRecord = (command: { readonly _tag: string }): command is Command<"RecordRefusals"> =>
  command._tag === "RecordRefusals"

/** Opens an organization that cannot pay for its first code. */
const openRefused = Effect.gen(function* () {
  const { organization } = yield* TestEngine.open({ balance: Samples.money("0") })
  yield* Effect.flip(send(organization))
  return organization
})

/** An engine whose store notes the commands that record refusals. */
const watched = (records: Partial<Records> = {}) => {
  const written: Array<Command<"RecordRefusals">> = []
  const state: { outage: StoreUnavailable["reason"] | undefined } = { outage: undefined }
  const all = { ...defaults, ...records }
  const layer = TestEngine.layer({
    store: Layer.sync(Store, () => {
      const made = MemoryStore.make(all)
      return Store.of({
        ...made,
        execute: (command, options) =>
          Effect.suspend(() => {
            if (!isRecord(command)) return made.execute(command, options)
            assert.deepStrictEqual(options, { isUrgent: false })
            const { outage: reason } = state
            if (reason !== undefined) {
              return Effect.fail(new StoreUnavailable({ reason, retryAfterSeconds: 1 }))
            }
            written.push(command)
            return made.execute(command, options)
          }),
      })
    }),
    running: true,
  }).pipe(Layer.provide(Layer.succeed(RecordsReference, all)))
  return { layer, written, state }
}

describe("a refused call", () => {
  engineTest("is recorded for every cause, with what is known of it", function* () {
    const { organization } = yield* TestEngine.open()
    const refuse = (call: Effect.Effect<unknown, unknown, Verifications | Messages>) =>
      Effect.flip(call)
    yield* configure(organization, { blockedPrefixes: ["88018"] })
    yield* refuse(send(organization, { phoneNumber: "+8801812345678" }))
    yield* refuse(send(organization, { phoneNumber: "not a number" }))
    yield* refuse(send(organization, { phoneNumber: "+12", channel: "whatsapp" }))
    yield* refuse(send(organization, { sender: "unknown" }))
    yield* configure(organization, {
      limits: { sendsPerNumber: { max: 1, windowMillis: 60_000 } },
    })
    const { requestId } = yield* send(organization)
    yield* refuse(send(organization))
    yield* refuse(resend(organization, requestId, { channel: "whatsapp" }))
    const text = { organization, phoneNumber: "8801712345678", text: "hello" }
    yield* refuse(Messages.use((_) => _.send({ ...text, sender: "unknown" })))
    assert.deepStrictEqual(yield* lines(organization), [
      "message sms BD +8801*****678 sender_unusable:brand_not_found",
      "resend whatsapp BD +8801*****678 rate_limited:cooldown",
      "verify sms BD +8801*****678 rate_limited:rate",
      "verify sms BD +8801*****678 invalid_request:brand_not_found",
      "verify whatsapp - - invalid_request:not_e164",
      "verify sms - - invalid_request:not_e164",
      "verify sms BD +8801*****678 invalid_request:prefix_blocked",
    ])
    assert.deepStrictEqual(yield* lines(organization, { phoneNumber: "8801812345678" }), [
      "verify sms BD +8801*****678 invalid_request:prefix_blocked",
    ])
    const { refusals } = yield* list(organization, { codes: ["rate_limited"] })
    const [again, first] = refusals
    assert.deepInclude(first, { parameters: { retryAfterSeconds: 60 }, requestId: null })
    assert.deepInclude(again, { requestId, actor: "host", apiKeyId: null })
    assert.notInclude(JSON.stringify(refusals), "1712345")
  })

  engineTest("has the key of its caller, and no text of it", function* () {
    const { organization, keyId: key } = yield* TestEngine.open()
    yield* Effect.flip(send(organization, { apiKeyId: key, phoneNumber: "0171 SECRET" }))
    const [refusal] = (yield* list(organization)).refusals
    assert.deepInclude(refusal, { apiKeyId: key, actor: null, maskedNumber: null })
    assert.notInclude(JSON.stringify(refusal), "SECRET")
  })

  testOn(
    Layer.provide(
      TestEngine.layer(),
      Layer.succeed(Limits, {
        ...defaultLimits,
        checksPerOrganization: { max: 1, windowMillis: 60_000 },
      }),
    ),
  )("of a check names its number, which the request tells", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    yield* Effect.flip(check(organization, requestId, "000000"))
    yield* Effect.flip(check(organization, requestId, "000000"))
    // An unknown request has no number.
    yield* Effect.flip(check(organization, "anything", "000000"))
    assert.deepStrictEqual(yield* lines(organization), [
      "check - - - rate_limited:rate",
      "check sms BD +8801*****678 rate_limited:rate",
    ])
    assert.deepStrictEqual(yield* lines(organization, { phoneNumber }), [
      "check sms BD +8801*****678 rate_limited:rate",
    ])
    assert.deepStrictEqual(yield* counts(organization), [
      "rate_limited:rate  1",
      "rate_limited:rate BD 1",
    ])
  })

  testOn(
    TestEngine.layer({
      gateway: {
        behave: ({ channel }) =>
          channel === "sms" ? { _tag: "Deliver" } : { _tag: "Reject", message: "no" },
      },
    }),
  )(
    "is not recorded if the code was wrong, the message was sent, or the call succeeded",
    function* () {
      const { organization } = yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      yield* Effect.flip(check(organization, requestId, "000000"))
      yield* Effect.flip(check(organization, "anything", "000000"))
      yield* Effect.flip(send(organization, { channel: "whatsapp" }))
      yield* Effect.flip(send(OrganizationId("unknown")))
      assert.deepStrictEqual(yield* lines(organization), [])
    },
  )

  testWith(watched)(
    "is answered without a write, which follows with the others of two seconds",
    function* ({ written }) {
      const organization = yield* openRefused
      yield* Effect.flip(send(organization))
      yield* TestClock.adjust(pause - 1)
      assert.lengthOf(written, 0)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(
        written.map(({ counts, kept }) => [counts.length, counts[0]?.count, kept.length]),
        [[1, 2, 2]],
      )
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(written, 1)
    },
  )

  engineTest(
    "counts for the country of its number, also under a code that countries share",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* configure(organization, { blockedPrefixes: ["1", "44", "880"] })
      const numbers = ["+14165550100", "+12125550100", "+447797712345", "+447400123456"]
      for (const phoneNumber of [...numbers, ...numbers]) {
        yield* Effect.flip(send(organization, { phoneNumber }))
      }
      yield* flush
      assert.deepStrictEqual(
        yield* counts(organization),
        ["CA", "GB", "JE", "US"].map((country) => `invalid_request:prefix_blocked ${country} 2`),
      )
    },
  )

  engineTest("of a resend counts for the country of its request", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    yield* Effect.replicateEffect(Effect.flip(resend(organization, requestId)), maxPerCause + 1)
    yield* flush
    assert.deepStrictEqual(yield* counts(organization), ["rate_limited:cooldown BD 11"])
  })

  testWith(watched)(
    "waits while the store is overloaded, and is not counted twice",
    function* ({ state, written }) {
      const { organization } = yield* TestEngine.open({ balance: Samples.money("0") })
      state.outage = "overloaded"
      yield* Effect.flip(send(organization))
      yield* TestClock.adjust(3 * pause)
      assert.lengthOf(written, 0)
      yield* Effect.flip(send(organization))
      state.outage = undefined
      yield* TestClock.adjust(pause)
      assert.deepStrictEqual(yield* counts(organization), ["insufficient_balance BD 2"])
      assert.lengthOf((yield* list(organization)).refusals, 2)
      // Whether a commit was made whose answer was lost is unknown.
      for (const outage of ["timeout", "connection"] as const) {
        state.outage = outage
        yield* Effect.flip(send(organization))
        yield* TestClock.adjust(pause)
        state.outage = undefined
        yield* TestClock.adjust(pause)
        assert.deepStrictEqual(yield* counts(organization), ["insufficient_balance BD 3"])
      }
    },
  )

  it.effect("reads no request by an id that is longer than 64 characters", () => {
    const read: Array<string> = []
    const memory = MemoryStore.make()
    const store = Store.of({
      ...memory,
      verification: (organization, id) =>
        Effect.andThen(
          Effect.sync(() => read.push(id)),
          memory.verification(organization, id),
        ),
    })
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const ids = [60, 61].map((digits) => `vrf_${"0".repeat(digits)}`)
      // The format of the code refuses the calls before they read their request.
      for (const id of ids) yield* Effect.flip(check(organization, id, ""))
      yield* flush
      assert.deepStrictEqual(read, ids.slice(0, 1))
      assert.lengthOf((yield* list(organization)).refusals, 2)
    }).pipe(Effect.provide(TestEngine.layer({ store: Layer.succeed(Store, store) })))
  })

  it.effect("is written when the engine closes", () => {
    const { layer, written } = watched()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(layer, scope)
      yield* Effect.provide(openRefused, context)
      yield* Scope.close(scope, Exit.void)
      assert.lengthOf(written, 1)
    })
  })

  testWith(() => watched({ refusals: false }))(
    "leaves no trace if the host switches the records off",
    function* ({ written }) {
      const organization = yield* openRefused
      yield* TestClock.adjust(pause)
      assert.deepStrictEqual(written, [])
      assert.deepStrictEqual(yield* lines(organization), [])
    },
  )
})

describe("the event of refused calls", () => {
  const events = (organization: OrganizationId) =>
    Effect.map(
      Store.use((_) => _.events(organization, 0, 1_000)),
      (page) =>
        (page?.events ?? []).flatMap((event) =>
          event._tag === "CallsRefused" ? [event.refusals] : [],
        ),
    )

  testWith(watched)("is not raised by default", function* () {
    const organization = yield* openRefused
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(yield* events(organization), [])
  })

  it.effect("reports all calls, at most once a minute", () => {
    const { layer } = watched({ refusalEvents: true })
    const blocked = { code: "invalid_request", reason: "prefix_blocked" } as const
    const invalid = { code: "invalid_request", reason: "not_e164" } as const
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      yield* configure(organization, { blockedPrefixes: ["880"] })
      yield* Effect.flip(send(organization))
      yield* TestClock.adjust(pause)
      assert.deepStrictEqual(yield* events(organization), [[{ ...blocked, count: 1 }]])
      for (let index = 0; index < 20; index++) {
        yield* Effect.flip(send(organization))
        if (index > 17) yield* Effect.flip(send(organization, { phoneNumber: "none" }))
        yield* TestClock.adjust(pause)
      }
      assert.lengthOf(yield* events(organization), 1)
      // No further call is refused.
      yield* TestClock.adjust(Duration.times(RefusalReports.interval, 2))
      assert.deepStrictEqual((yield* events(organization)).slice(1), [
        [
          { ...blocked, count: 20 },
          { ...invalid, count: 2 },
        ],
      ])
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(yield* events(organization), 2)
    }).pipe(Effect.provide(layer))
  })

  testWith(() => watched({ refusalEvents: true }))(
    "waits while the store is overloaded, and is raised as soon as it is not",
    function* ({ state }) {
      const { organization } = yield* TestEngine.open({ balance: Samples.money("0") })
      state.outage = "overloaded"
      yield* Effect.flip(send(organization))
      yield* TestClock.adjust(pause)
      yield* Effect.flip(send(organization))
      state.outage = undefined
      yield* TestClock.adjust(pause)
      const poor = { code: "insufficient_balance", reason: null, count: 2 } as const
      assert.deepStrictEqual(yield* events(organization), [[poor]])
    },
  )
})
