import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import {
  Accounts,
  type Adjustment,
  type Booking,
  maxPaymentIdLength,
  maxUnknown,
} from "../../src/services/Accounts.ts"
import { Actor } from "../../src/domain/values/Actor.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as FieldProblem from "../../src/domain/values/FieldProblem.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Store } from "../../src/ports/Store.ts"
import { effectTest, engineTest, testWith } from "../support/engineTest.ts"

const { money, organizationId: organization } = Samples

const topUp = (booking: Partial<Booking> = {}) =>
  Accounts.use((_) => _.topUp({ organization, amount: money("5"), ...booking }))

const adjust = (booking: Partial<Adjustment> = {}) =>
  Accounts.use((_) => _.adjust({ organization, amount: money("-1"), note: "fee", ...booking }))

/** The bookings of the ledger, as in `top-up 5.00 p1`. */
const bookings = Effect.map(
  Accounts.use((_) => _.entries({ organization })),
  (entries) =>
    entries.map(({ amount, kind, paymentId }) => `${kind} ${Money.format(amount)} ${paymentId}`),
)

const olga = { id: "olga", origin: null }

const opened = TestEngine.open({ balance: Money.zero })

describe("a booking with a payment id", () => {
  engineTest("is made once, and its repeats answer with the current balance", function* () {
    yield* opened
    const first = yield* Effect.provideService(topUp({ paymentId: "p1" }), Actor, olga)
    assert.deepInclude(first, { balance: money("5"), held: Money.zero, isRepeat: false })
    assert.deepInclude(first.entry, { sequence: 1, paymentId: "p1", actor: "olga" })
    assert.deepInclude(yield* adjust({ paymentId: "p2" }), { balance: money("4") })
    const repeat = yield* topUp({ paymentId: "p1", note: "another" })
    assert.deepStrictEqual(repeat, { ...first, balance: money("4"), isRepeat: true })
    assert.deepInclude(yield* adjust({ paymentId: "p2" }), {
      balance: money("4"),
      isRepeat: true,
    })
    assert.deepStrictEqual(yield* bookings, ["top-up 5.00 p1", "adjustment -1.00 p2"])
  })

  engineTest("is refused under the id of another booking", function* () {
    yield* opened
    yield* topUp({ paymentId: "p1" })
    const booked = FieldProblem.make("payment_id_reused", { kind: "top-up", amount: "5.00" })
    const first = { paymentId: [booked] }
    const other = yield* Effect.flip(topUp({ paymentId: "p1", amount: money("6") }))
    assert.deepInclude(other, { _tag: "InvalidRequest", details: first })
    const adjusted = yield* Effect.flip(adjust({ paymentId: "p1", amount: money("5") }))
    assert.deepInclude(adjusted, { _tag: "InvalidRequest", details: first })
    assert.deepStrictEqual(yield* bookings, ["top-up 5.00 p1"])
  })

  const length = FieldProblem.make("not_printable", { min: 1, max: maxPaymentIdLength })
  const prefix = FieldProblem.make("reserved_prefix", { prefix: "countersign_" })
  const refused: ReadonlyArray<
    readonly [what: string, paymentId: string, problem: FieldProblem.FieldProblem]
  > = [
    ["empty", "", length],
    ["too long", "x".repeat(maxPaymentIdLength + 1), length],
    ["two lines", "a\nb", length],
    ["not well-formed", "\udc00", length],
    ["one that the engine may draw", "countersign_1", prefix],
  ]
  engineTest.each(refused)("is refused if the id is %s", function* ([, paymentId, problem]) {
    yield* opened
    const error = yield* Effect.flip(topUp({ paymentId }))
    assert.deepInclude(error, { _tag: "InvalidRequest", details: { paymentId: [problem] } })
    assert.deepStrictEqual(yield* bookings, [])
  })
})

type Fault = "none" | "lose the answer" | "refuse" | "break"

type Steps = ReadonlyArray<readonly [Fault, Effect.Effect<unknown, unknown, Accounts>]>

/** A store whose postings fail as the test sets. */
const faulty = () => {
  const memory = MemoryStore.make()
  const faults: Array<Fault> = []
  const store = Store.of({
    ...memory,
    execute: (command) => {
      const fault = faults.shift() ?? "none"
      const unavailable = (reason: StoreUnavailable["reason"]) =>
        Effect.fail(new StoreUnavailable({ reason, retryAfterSeconds: 1 }))
      if (fault === "refuse") return unavailable("timeout")
      if (fault === "break") return Effect.die(new Error("broken"))
      return fault === "none"
        ? memory.execute(command)
        : Effect.andThen(memory.execute(command), unavailable("connection"))
    },
  })
  /** Makes bookings one after another, each with the fault of the same place. */
  const play = Effect.fnUntraced(function* (steps: Steps) {
    yield* opened
    for (const [fault, booking] of steps) {
      faults.push(fault)
      assert.strictEqual(Exit.isSuccess(yield* Effect.exit(booking)), fault === "none")
    }
    return yield* bookings
  })
  return { faults, play, layer: TestEngine.layer({ store: Layer.succeed(Store, store) }) }
}

describe("a booking without a payment id", () => {
  const once = ["top-up 5.00 null"]
  const twice = [...once, ...once]
  const later = (millis: number) => Effect.andThen(TestClock.adjust(millis), topUp())
  const made = (input: Partial<Booking> = {}) => ["none", topUp(input)] as const
  const lost = ["lose the answer", topUp()] as const
  const table: ReadonlyArray<readonly [what: string, Steps, ends: ReadonlyArray<string>]> = [
    ["made twice is booked twice", [made(), made()], twice],
    ["repeated after a lost answer is booked once", [lost, made()], once],
    ["made again after its repeat is booked again", [lost, made(), made()], twice],
    [
      "repeated until it is answered is booked once",
      [lost, lost, ["refuse", topUp()], ["break", topUp()], made()],
      once,
    ],
    ["repeated after it was refused is booked", [["refuse", topUp()], made()], once],
    [
      "with another note, amount or kind is another booking",
      [
        lost,
        made({ note: "another" }),
        made({ amount: money("6") }),
        ["none", adjust({ amount: money("5") })],
        made(),
      ],
      [...once, ...once, "top-up 6.00 null", "adjustment 5.00 null"],
    ],
    [
      "repeated with a payment id is another booking",
      [lost, made({ paymentId: "p1" })],
      [...once, "top-up 5.00 p1"],
    ],
    [
      "repeated just before ten minutes are over is booked once",
      [lost, ["none", later(599_999)]],
      once,
    ],
    ["made again after ten minutes is another booking", [lost, ["none", later(600_000)]], twice],
  ]
  it.effect.each(table)("%s", ([, steps, ends]) => {
    const { layer, play } = faulty()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* play(steps), ends)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is recognized after every lost answer", () => {
    const { faults, layer } = faulty()
    const both = (booking: Effect.Effect<unknown, unknown, Accounts>) =>
      Effect.all([Effect.exit(booking), Effect.exit(booking)], { concurrency: 2 })
    return Effect.gen(function* () {
      yield* opened
      faults.push("lose the answer", "lose the answer")
      yield* both(topUp())
      yield* both(topUp())
      assert.deepStrictEqual(yield* bookings, twice)
    }).pipe(Effect.provide(layer))
  })

  effectTest("is recognized if its caller was interrupted before the failure", function* () {
    const memory = MemoryStore.make()
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const lost = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
    let calls = 0
    const store = Store.of({
      ...memory,
      execute: (command) =>
        (calls += 1) > 1
          ? memory.execute(command)
          : memory
              .execute(command)
              .pipe(
                Effect.andThen(Deferred.succeed(begun, undefined)),
                Effect.andThen(Deferred.await(gate)),
                Effect.andThen(Effect.fail(lost)),
              ),
    })
    yield* Effect.gen(function* () {
      yield* opened
      const caller = yield* Effect.forkChild(topUp())
      yield* Deferred.await(begun)
      const gone = yield* Effect.forkChild(Fiber.interrupt(caller))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(gone)
      yield* topUp()
      assert.deepStrictEqual(yield* bookings, once)
    }).pipe(Effect.provide(TestEngine.layer({ store: Layer.succeed(Store, store) })))
  })

  testWith(faulty)("is forgotten after a thousand other lost answers", function* ({ play }) {
    const others = Array.from(
      { length: maxUnknown },
      (_, index) => ["refuse", topUp({ note: `${index}` })] as const,
    )
    const ended = yield* play([["lose the answer", topUp()], ...others, ["none", topUp()]])
    assert.deepStrictEqual(ended, twice)
  })
})
