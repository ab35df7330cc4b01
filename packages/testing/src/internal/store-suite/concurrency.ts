import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Invariants from "../../Invariants.ts"
import * as Samples from "../../Samples.ts"
import {
  asked,
  atOnce,
  delivered,
  held,
  logOf,
  open,
  present,
  run,
  settled,
  tagsOf,
  tally,
  type Test,
  times,
} from "./support.ts"

const { money, organizationId, requestId } = Samples

export const concurrencySection = (test: Test): void => {
  test("twelve parallel wrong codes: two left, one left, and ten failed", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    const wrong = Samples.checkCode({ candidates: [Samples.codeOf("wrong")] })
    const outcomes = yield* atOnce(
      store,
      times(12, () => wrong),
    )
    const results = outcomes.map((outcome) =>
      outcome._tag === "WrongCode"
        ? `${outcome.attemptsRemaining} left`
        : outcome._tag === "Failed"
          ? `failed ${outcome.isFirst ? "first" : "again"}`
          : outcome._tag,
    )
    assert.deepStrictEqual(tally(results), {
      "2 left": 1,
      "1 left": 1,
      "failed first": 1,
      "failed again": 9,
    })
    assert.strictEqual((yield* run(store, Samples.checkCode()))._tag, "Failed")
  })

  test("parallel holds are numbered without gaps, each with its own balance", function* (store) {
    yield* open(store, money("100"))
    const outcomes = yield* atOnce(store, times(60, held))
    const messages = outcomes.flatMap((one) => (one._tag === "Held" ? [one] : []))
    const inOrder = messages.toSorted((a, b) => a.messageSequence - b.messageSequence)
    assert.deepStrictEqual(
      inOrder.map(({ balance, messageSequence }) => [messageSequence, balance]),
      times(60, (index) => [index + 1, money("100") - (index + 1) * money("0.5")]),
    )
  })

  test("parallel contradicting reports: one wins, the others are kept as anomalies", function* (store) {
    yield* open(store)
    yield* run(store, Samples.holdMessage())
    yield* run(store, Samples.recordDispatch())
    const statuses = ["delivered", "undelivered", "failed", "rejected"] as const
    const outcomes = yield* atOnce(
      store,
      statuses.map((status) => Samples.applyReport({ status })),
    )
    assert.strictEqual(
      new Set(outcomes.map((outcome) => "status" in outcome && outcome.status)).size,
      1,
    )
    const { messages } = yield* logOf(store)
    assert.strictEqual(messages[0]?.anomalies, 3)
    assert.strictEqual((yield* store.account(organizationId))?.entries, 3)
  })

  test("every organization has its own order: parallel commands of others change nothing", function* (store) {
    const ids = times(12, (index) => OrganizationId(`org-${index}`))
    yield* Effect.forEach(ids, (id) => open(store, money("1"), id))
    const commands = times(10, (index) =>
      ids.map((organization) => ({ ...held(index), organization })),
    ).flat()
    const outcomes = yield* atOnce(store, commands)
    assert.deepStrictEqual(tally(tagsOf(outcomes)), { Held: 24, Insufficient: 96 })
    for (const id of ids) {
      assert.deepInclude(yield* store.account(id), {
        balance: Money.zero,
        held: money("1"),
        entries: 3,
        lastMessage: 2,
      })
    }
  })

  test("parallel commands of all kinds leave consistent rows", function* (store) {
    const other = Samples.otherOrganizationId
    yield* open(store, money("5"))
    yield* open(store, money("5"), other)
    const mixed = times(20, (index) => [
      asked(index + 1, { phoneNumber: Samples.phoneNumber(index % 3) }),
      held(100 + index),
      Samples.checkCode({ requestId: requestId(index + 1) }),
      settled(index + 1, delivered(`gw-${index}`)),
      Samples.applyReport({ messageSequence: index + 1, status: "undelivered" }),
      Samples.topUp({ amount: money("0.25") }),
      Samples.adjust({ amount: money("-0.75") }),
    ]).flat()
    const everywhere = mixed.flatMap((command) => [command, { ...command, organization: other }])
    yield* atOnce(store, everywhere)
    for (const id of [organizationId, other]) {
      const snapshot = present(yield* Invariants.read(store, id))
      assert.deepStrictEqual(Invariants.problems(snapshot), [])
    }
  })

  test("an interrupted caller leaves no partial write, and other callers get their answers", function* (store) {
    yield* open(store, money("100"))
    const fibers = yield* Effect.forEach(times(40, held), (command) =>
      Effect.forkChild(store.execute(command)),
    )
    yield* Effect.yieldNow
    yield* Effect.forEach(
      fibers.filter((_, index) => index % 2 === 0),
      (fiber) => Fiber.interrupt(fiber),
      { concurrency: "unbounded" },
    )
    const rest = yield* Effect.forEach(
      fibers.filter((_, index) => index % 2 === 1),
      (fiber) => Fiber.join(fiber),
    )
    assert.deepStrictEqual(tally(tagsOf(rest.map(({ result }) => result))), { Held: 20 })
    assert.strictEqual((yield* run(store, held(99)))._tag, "Held")
    const snapshot = present(yield* Invariants.read(store, organizationId))
    assert.deepStrictEqual(Invariants.problems(snapshot), [])
    assert.isAtLeast(snapshot.messages.length, 21)
  })
}
