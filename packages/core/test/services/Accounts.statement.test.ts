import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { OrganizationId } from "../../src/domain/Ids.ts"
import * as Money from "../../src/domain/Money.ts"
import * as Statement from "../../src/domain/Statement.ts"
import { Store } from "../../src/ports/Store.ts"
import { Accounts } from "../../src/services/Accounts.ts"

const organization = OrganizationId("acme")

/** A ledger with 250,001 top-ups of a unit each. */
const long = (slices: Array<readonly [after: number, through: number]>) =>
  Layer.sync(Store, () => ({
    ...MemoryStore.make(),
    balancesBefore: (_, at) => {
      const sequence = at === 0 ? 0 : 250_001
      return Effect.succeed({ sequence, balance: Money.fromUnits(sequence), held: Money.zero })
    },
    sumEntries: (_, after, through) => {
      slices.push([after, through])
      const sum = { count: through - after, amount: Money.fromUnits(through - after) }
      return Effect.succeed({ ...Statement.noEntries, "top-up": sum })
    },
  }))

it.effect("adds up a ledger that is longer than a slice", () => {
  const slices: Array<readonly [number, number]> = []
  return Effect.gen(function* () {
    const statement = yield* Accounts.use((_) => _.statement({ organization, from: 0, to: 1 }))
    assert.deepStrictEqual(slices, [
      [0, 100_000],
      [100_000, 200_000],
      [200_000, 250_001],
    ])
    const amount = Money.fromUnits(250_001)
    assert.deepStrictEqual(statement.entries, {
      ...Statement.noEntries,
      "top-up": { count: 250_001, amount },
    })
    assert.deepStrictEqual(statement.closing, { balance: amount, held: Money.zero })
  }).pipe(Effect.provide(TestEngine.layer({ store: long(slices) })))
})
