import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  type AppliedMigration,
  isOrdered,
  isSchemaName,
  type Migration,
  plan,
  quoteIdentifier,
} from "../../../src/internal/schema/migrate.ts"

const migration = (id: number, name = `step-${id}`, breaking = false): Migration => ({
  id,
  name,
  breaking,
  statements: () => [],
})

const applied = (id: number, name = `step-${id}`, breaking = false): AppliedMigration => ({
  id,
  name,
  breaking,
})

describe("plan", () => {
  const known = [migration(1), migration(2), migration(4)]
  const rows: ReadonlyArray<readonly [string, ReadonlyArray<AppliedMigration>, string]> = [
    ["an empty database", [], "run 1, 2, 4"],
    ["one step behind", [applied(1), applied(2)], "run 4"],
    ["up to date", [applied(1), applied(2), applied(4)], "run nothing"],
    ["newer, compatible", [applied(1), applied(2), applied(4), applied(5)], "run nothing"],
    [
      "newer, breaking",
      [applied(1), applied(2), applied(4), applied(5), applied(6, "step-6", true)],
      "DatabaseTooNew 6",
    ],
    ["behind and newer, breaking", [applied(1), applied(9, "other", true)], "DatabaseTooNew 9"],
    ["another name", [applied(1), applied(2, "something else")], "HistoryDiffers 2"],
    ["overtaken by a known step", [applied(1), applied(4)], "HistoryDiffers 4"],
    ["overtaken by an unknown step", [applied(1), applied(2), applied(5)], "HistoryDiffers 5"],
    ["breaking, but known", [applied(1, "step-1", true)], "run 2, 4"],
  ]

  for (const [situation, history, outcome] of rows) {
    it(`${situation}: ${outcome}`, () => {
      const text = Result.match(plan(known, history), {
        onSuccess: (pending) => `run ${pending.map(({ id }) => id).join(", ") || "nothing"}`,
        onFailure: (refusal) => `${refusal.reason} ${refusal.applied.id}`,
      })
      assert.strictEqual(text, outcome)
    })
  }
})

describe("isOrdered", () => {
  it("accepts positive integers that rise", () => {
    assert.isTrue(isOrdered([]))
    assert.isTrue(isOrdered([migration(1), migration(7)]))
    assert.isFalse(isOrdered([migration(0)]))
    assert.isFalse(isOrdered([migration(1.5)]))
    assert.isFalse(isOrdered([migration(2), migration(1)]))
    assert.isFalse(isOrdered([migration(1), migration(1)]))
  })
})

describe("the name of a schema", () => {
  it("is rejected if PostgreSQL would truncate, reserve or reject it", () => {
    for (const name of ["countersign", 'with "quotes"; DROP TABLE x', "übung", "x".repeat(63)]) {
      assert.isTrue(isSchemaName(name), name)
    }
    for (const name of ["", "pg_mine", "a\0b", "x".repeat(64), "ü".repeat(32)]) {
      assert.isFalse(isSchemaName(name), name)
    }
  })

  it("is quoted", () => {
    assert.strictEqual(quoteIdentifier('a"b'), '"a""b"')
  })
})
