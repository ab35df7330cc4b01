/** The kept reports, as operators read them. */
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Cursor, FieldProblem } from "../../src/index.ts"
import { maxUnmatched, Reports } from "../../src/services/Reports.ts"
import { Store } from "../../src/ports/Store.ts"

const receive = (gatewayId: string, detail: string | null = null) =>
  Reports.use((_) =>
    _.receive({
      of: { _tag: "GatewayId", gateway: "simulated", gatewayId },
      status: "delivered",
      detail,
    }),
  )

const unmatched = (query: object = {}) => Reports.use((_) => _.unmatched(query))

describe("Reports.unmatched", () => {
  it.effect("reads kept reports page by page, each of them once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* unmatched(), { reports: [], next: undefined })
      const ids = ["a1", "b2", "c3", "d4", "e5"]
      for (const id of ids) {
        yield* receive(id)
        yield* TestClock.adjust(1)
      }
      const found: Array<string> = []
      let cursor: string | undefined
      do {
        const page = yield* unmatched({ limit: 2, cursor })
        found.push(...page.reports.map(({ gatewayId }) => gatewayId))
        cursor = page.next
      } while (cursor !== undefined)
      assert.deepStrictEqual(found, ids)
      const all = yield* unmatched({ limit: 5 })
      assert.isUndefined(all.next)
      assert.deepStrictEqual<unknown>(all.reports[1], {
        gateway: "simulated",
        gatewayId: "b2",
        status: "delivered",
        detail: null,
        receivedAt: 1,
      })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("contains no phone number and no code", () =>
    Effect.gen(function* () {
      yield* receive("8801712345678-77", "+880 1712-345678 was busy, code 123456")
      yield* receive("6f9619ff-8b86-d011-b42d-00c04fc964ff")
      yield* receive("wamid.HBgNODgwMTcxMjM0NTY3OBUCABEYEjk=")
      const { reports } = yield* unmatched()
      const text = JSON.stringify(reports)
      for (const secret of ["1712345678", "345678", "123456"]) assert.notInclude(text, secret)
      assert.notInclude(text, "NODgwMTcxMjM0NTY3O")
      assert.include(text, "wamid.HBgN*****")
      assert.include(text, "6f9619ff-8b86-d011-b42d-00c04fc964ff")
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("ends after 10,000 reports", () =>
    Effect.gen(function* () {
      const store = yield* Store
      for (let index = 0; index <= maxUnmatched; index++) {
        const report = {
          gateway: "simulated",
          status: "delivered",
          detail: null,
          evidence: null,
        } as const
        yield* store.keepReport({ ...report, gatewayId: `id ${String(index).padStart(5, "0")}` })
      }
      const last = yield* unmatched({ cursor: Cursor.make(maxUnmatched - 2), limit: 100 })
      assert.deepStrictEqual(
        [last.reports.map(({ gatewayId }) => gatewayId), last.next],
        [["id 09998", "id 09999"], undefined],
      )
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    [{ limit: 0 }, "limit"],
    [{ limit: 1_001 }, "limit"],
    [{ cursor: "x" }, "cursor"],
    [{ cursor: FieldProblem.make("not_string", {}) }, "cursor"],
  ] as const)("refuses %j", ([query, field]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(unmatched(query))
      assert.strictEqual(error._tag, "InvalidRequest")
      assert.hasAllKeys(error._tag === "InvalidRequest" ? error.details : {}, [field])
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
