/**
 * A node of the engine over a real adapter, for tests that compare its money with the counts of the other side.
 */
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { DispatchPolicy } from "@countersign/core/delivery/Dispatcher"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import * as Engine from "@countersign/core/Engine"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import { Settlement } from "@countersign/core/jobs/Settlement"
import { Gateway } from "@countersign/core/ports/Gateway"
import { Store } from "@countersign/core/ports/Store"
import * as Reports from "@countersign/core/services/Reports"
import * as Invariants from "@countersign/testing/Invariants"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

export const organization = OrganizationId("acme")
export const balance = Money.make("100")

const settleMillis = 900_000

/** A node without background work but for the reports. */
export const node = (gateway: Gateway["Service"], seed: number) =>
  Layer.fresh(Layer.provideMerge(Reports.layerBackground, Engine.layer)).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.fresh(MemoryStore.layer),
        Layer.succeed(Gateway, gateway),
        CodeSecrets.layer(TestEngine.codeSecret),
      ),
    ),
    Layer.provideMerge(TestCrypto.layer(seed)),
    Layer.provide(Layer.succeed(DispatchPolicy, { leaseMarginMillis: 60_000, settleMillis })),
  )

/** The rows of the log by the numbers that their texts begin with. */
export const log = Effect.flatMap(Store, (store) =>
  Effect.map(
    store.messages(organization, { from: undefined, to: undefined, skip: 0, limit: 1_000 }),
    (page) =>
      new Map(
        (page?.messages ?? []).map((row) => [Number(/^#(\d+)/.exec(row.text)?.[1]), row] as const),
      ),
  ),
)

/** Settles all messages, at their deadlines. */
export const settle = Effect.gen(function* () {
  const settlement = yield* Settlement
  do {
    yield* TestClock.adjust(Duration.millis(settleMillis))
  } while ((yield* settlement.round) > 0)
})

/** What is wrong with the rows, or with the balance after the captured prices. */
export const moneyProblems = Effect.gen(function* () {
  const snapshot = yield* Invariants.read(yield* Store, organization)
  if (snapshot === undefined) return ["the organization is lost"]
  const { account, messages } = snapshot
  const captured = messages.filter(({ hold }) => hold === "captured")
  const spent = captured.reduce((total, { charge }) => total + charge, 0)
  const isRight = account.held === 0 && account.balance === balance - spent
  return [
    ...Invariants.problems(snapshot),
    ...(isRight ? [] : [`the balance is ${account.balance}, and ${spent} was captured`]),
  ]
})
