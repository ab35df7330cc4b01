import * as TestEngine from "@countersign/testing/TestEngine"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Fraud from "../../src/services/Fraud.ts"
import * as FraudRules from "../../src/engine/FraudRules.ts"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as Limits from "../../src/domain/limits/Limits.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import * as TestNumbers from "../../src/engine/TestNumbers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Messages } from "../../src/services/Messages.ts"
import { testOn } from "../support/engineTest.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Store } from "../../src/ports/Store.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Privacy } from "../../src/services/Privacy.ts"
import { cancel, check, send, wrong } from "../support/verifying.ts"
import { invalidFields } from "../support/invalidFields.ts"

it("rules are refused outside of their bounds", () => {
  assert.throws(() => FraudRules.rules({ window: Duration.days(32) }), RangeError, "window")
  assert.throws(() => FraudRules.layerRules({ prefixDigits: 12 }), RangeError, "prefixDigits")
})

const trial = (organization: OrganizationId, rules: Fraud.Trial["rules"], times: object = {}) =>
  Fraud.Fraud.use((_) => _.dryRun({ organization, rules, ...times }))

/** Without the price, which a trial does not know. */
const findingsOf = (organization: OrganizationId) =>
  Effect.map(
    Fraud.Fraud.use((_) => _.findings({ organization, limit: 1_000 })),
    (findings) => findings.map(({ unverifiedAmount: _, ...finding }) => finding),
  )

const limits = Layer.succeed(Limits.Limits, {
  ...Limits.defaults,
  sendsPerNumber: undefined,
  pendingPerNumber: 1_000,
  checksPerOrganization: undefined,
})

/** Codes to numbers that end in 9 cannot be sent. */
const engine = (rules?: Fraud.Trial["rules"]) =>
  TestEngine.layer({
    gateway: {
      behave: ({ phoneNumber }) =>
        phoneNumber.endsWith("9") ? { _tag: "NotSend", message: "no route" } : { _tag: "Deliver" },
    },
  }).pipe(Layer.provide([limits, rules === undefined ? Layer.empty : FraudRules.layerRules(rules)]))

const all = ["+8801712345671", "+8801712345679", "+8801812345671", "+447400123456"]

const numberOf = (index: number) => PhoneNumber.fromE164(all[index] ?? "")

interface Step {
  readonly person: number
  /** Seconds before the request. */
  readonly after: number
  /** Seconds after which it is verified, or how it ends otherwise. */
  readonly end: number | "wrong" | "cancelled" | "none"
}

const step: fc.Arbitrary<Step> = fc.record({
  person: fc.nat({ max: all.length - 1 }),
  after: fc.constantFrom(1, 7, 30, 90),
  end: fc.constantFrom<Step["end"]>(1, 1, 40, "wrong", "cancelled", "none"),
})

/** Plays the steps. Returns the indices of the codes that were denied. */
const play = Effect.fnUntraced(function* (
  organization: OrganizationId,
  steps: ReadonlyArray<Step>,
) {
  const denied: Array<number> = []
  for (const [index, { after, end, person }] of steps.entries()) {
    yield* TestClock.adjust(after * 1_000)
    const phoneNumber = numberOf(person)
    const sent = yield* Effect.result(send(organization, { phoneNumber }))
    if (sent._tag === "Failure") {
      if (sent.failure._tag === "RateLimited") denied.push(index)
      // The time passes in the same way.
      if (typeof end === "number") yield* TestClock.adjust(end * 1_000)
      continue
    }
    const { requestId } = sent.success
    const code = yield* TestEngine.latestCode(phoneNumber)
    if (end === "cancelled") yield* cancel(organization, requestId)
    if (end === "wrong") {
      for (const _ of [1, 2, 3]) yield* Effect.flip(check(organization, requestId, wrong(code)))
    }
    if (typeof end === "number") {
      yield* TestClock.adjust(end * 1_000)
      yield* check(organization, requestId, code)
    }
  }
  return denied
})

const options = fc.record({
  prefixDigits: fc.constantFrom(3, 5),
  window: fc.constantFrom("1 minute", "5 minutes"),
  maxSent: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  minSent: fc.integer({ min: 1, max: 4 }),
  minConversion: fc.constantFrom(0, 0.3, 0.9),
})

describe("a trial of fraud rules", () => {
  it("finds what the rules find, and denies what they deny, in every history", async () => {
    const history = fc.array(step, { minLength: 1, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(options, history, async (rules, steps) => {
        const recorded = Effect.gen(function* () {
          const { organization } = yield* TestEngine.open()
          yield* play(organization, steps)
          return {
            found: yield* findingsOf(organization),
            recording: yield* trial(organization, { ...rules, action: "record" }),
            denying: yield* trial(organization, rules),
          }
        }).pipe(
          Effect.provide(engine({ ...rules, action: "record" })),
          Effect.provide(TestClock.layer()),
        )
        const denying = Effect.gen(function* () {
          const { organization } = yield* TestEngine.open()
          const denied = yield* play(organization, steps)
          return { denied, found: yield* findingsOf(organization) }
        }).pipe(
          Effect.provide(engine({ ...rules, action: "deny" })),
          Effect.provide(TestClock.layer()),
        )
        const past = await Effect.runPromise(recorded)
        const live = await Effect.runPromise(denying)
        assert.deepStrictEqual(
          past.recording.findings.toSorted(byTime),
          past.found.toSorted(byTime),
        )
        assert.strictEqual(past.recording.denied, 0)
        assert.deepStrictEqual(past.denying.findings.toSorted(byTime), live.found.toSorted(byTime))
        assert.strictEqual(past.denying.denied, live.denied.length)
        const isVerified = (index: number) =>
          typeof steps[index]?.end === "number" && steps[index].person !== 1
        assert.strictEqual(past.denying.deniedVerified, live.denied.filter(isVerified).length)
        assert.strictEqual(past.denying.codes, steps.length)
      }),
      { numRuns: 60 },
    )
  })

  const rules = { maxSent: 2, prefixDigits: 5 }
  const times = (count: number, person: number): ReadonlyArray<Step> =>
    Array.from({ length: count }, () => ({ person, after: 1, end: 1 }))

  testOn(engine())(
    "omits erased all, exempt prefixes, plain messages, and requests outside of its period",
    function* () {
      const { organization } = yield* TestEngine.open()
      yield* play(organization, [...times(4, 0), ...times(4, 2), ...times(4, 3)])
      yield* Messages.use((_) => _.send({ organization, phoneNumber: numberOf(0), text: "hello" }))
      yield* Organizations.use((_) => _.update({ id: organization, allowedPrefixes: ["44"] }))
      const all = yield* trial(organization, rules)
      assert.deepStrictEqual([all.codes, all.denied, all.erased], [8, 4, 0])
      const some = yield* trial(organization, rules, { from: 5_000, to: 11_000 })
      assert.deepStrictEqual([some.codes, some.denied], [4, 0])
      yield* TestClock.adjust("1 day")
      yield* Privacy.use((_) => _.erase({ organization, phoneNumber: numberOf(2) }))
      const left = yield* trial(organization, rules)
      assert.deepStrictEqual([left.codes, left.denied, left.erased], [4, 2, 4])
    },
  )

  testOn(oneByOne)("tells how far it has looked in a long log", function* () {
    const { organization } = yield* TestEngine.open()
    yield* play(organization, times(80, 0))
    const result = yield* trial(organization, rules)
    // The 50,000 messages that it may look at are two for each that it does look at here.
    assert.strictEqual(result.codes, 50)
    assert.strictEqual(result.examinedFrom, 61_000)
  })

  testOn(engine())(
    "is refused for rules outside of their bounds, and for a period without a time",
    function* () {
      const { organization } = yield* TestEngine.open()
      const wrong = { prefixDigits: 9, minConversion: 2, window: "0.5 seconds" } as const
      const refused = trial(organization, wrong, { from: 2, to: 1 })
      const fields = ["from", "minConversion", "prefixDigits", "window"]
      assert.deepStrictEqual(yield* invalidFields(refused), fields)
    },
  )

  testOn(
    engine().pipe(
      Layer.provide(
        TestNumbers.layer({
          production: false,
          numbers: [
            { phoneNumber: numberOf(0), code: Redacted.make("123456"), outcome: "delivered" },
          ],
        }),
      ),
    ),
  )("does not judge test all", function* () {
    const { organization } = yield* TestEngine.open()
    yield* send(organization, { phoneNumber: numberOf(0) })
    assert.strictEqual((yield* trial(organization, rules)).codes, 0)
  })
})

const byTime = (a: { readonly at: number; readonly reason: string }, b: typeof a): number =>
  a.at - b.at || a.reason.localeCompare(b.reason)

/** Examines one message where a thousand are asked for, so that a page of 2,000 has two. */
const oneByOne = TestEngine.layer({
  store: Layer.sync(Store, () => {
    const store = MemoryStore.make()
    const less = (examine: number) => examine / 1_000
    return Store.of({
      ...store,
      searchVerifications: (id, search) =>
        store.searchVerifications(id, { ...search, examine: less(search.examine) }),
      searchMessages: (id, search) =>
        store.searchMessages(id, { ...search, examine: less(search.examine) }),
    })
  }),
}).pipe(Layer.provide(limits))
