import type { Command } from "@countersign/core/decide/Command"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Refusal from "@countersign/core/domain/verifications/Refusal"
import type { RefusalSearch } from "@countersign/core/ports/Search"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { digests, erase, other, personal } from "./personal.ts"
import { prune, sound } from "./prune.ts"
import { atOnce, open, present, run, type StoreService, type Test, times } from "./support.ts"

const { now, organizationId } = Samples
const [digest] = digests

const hour = 3_600_000

/** A limit that was reached at the time of the store. */
const limited: Refusal.NewRefusal = {
  operation: "verify",
  code: "rate_limited",
  reason: "rate",
  parameters: { retryAfterSeconds: 30 },
  at: now,
  channel: "sms",
  country: "BD",
  digest,
  maskedNumber: "+8801*****000",
  requestId: null,
  apiKeyId: Samples.apiKey().id,
  actor: null,
}

const { operation, code, reason, channel, country } = limited
const counted: Refusal.Count = { operation, code, reason, at: now, channel, country, count: 3 }

const record = (
  given: Partial<Omit<Command<"RecordRefusals">, "_tag">> = {},
): Command<"RecordRefusals"> => ({
  _tag: "RecordRefusals",
  organization: organizationId,
  counts: [],
  kept: [],
  reported: undefined,
  ...given,
})

const all: RefusalSearch = {
  digests: undefined,
  codes: undefined,
  from: undefined,
  to: undefined,
  before: undefined,
  limit: 2_000,
}

const found = (store: StoreService, search: Partial<RefusalSearch> = {}) =>
  Effect.map(store.refusals(organizationId, { ...all, ...search }), present)

const sequences = (store: StoreService, search: Partial<RefusalSearch> = {}) =>
  Effect.map(found(store, search), (rows) => rows.map(({ sequence }) => sequence))

const at = (millis: number): Refusal.NewRefusal => ({ ...limited, at: now + millis })

export const refusalsSection = (test: Test): void => {
  test("a refusal is stored as it is, with its place", function* (store) {
    yield* open(store)
    const unknown: Refusal.NewRefusal = {
      ...limited,
      operation: "check",
      code: "invalid_request",
      reason: "required",
      parameters: { field: "যাচাই", required: "0.50" },
      channel: null,
      country: "",
      digest: null,
      maskedNumber: null,
      requestId: Samples.requestId(1),
      apiKeyId: null,
      actor: 'it\'s "quoted" \\ $1',
    }
    yield* run(store, record({ kept: [limited, unknown] }))
    const of = { organization: organizationId }
    assert.deepStrictEqual(yield* found(store), [
      { ...unknown, ...of, sequence: 2 },
      { ...limited, ...of, sequence: 1 },
    ])
    assert.strictEqual(present(yield* store.account(organizationId)).lastRefusal, 2)
    yield* sound(store)
  })

  test("a new refusal takes the place of the oldest one", function* (store) {
    yield* open(store)
    const kept = times(Refusal.maxKept / 2, () => limited)
    yield* atOnce(store, [record({ kept }), record({ kept }), record({ kept: [limited] })])
    assert.deepStrictEqual(
      yield* sequences(store),
      times(Refusal.maxKept, (index) => Refusal.maxKept + 1 - index),
    )
    yield* atOnce(store, [record({ kept }), record({ kept }), record({ kept })])
    const newest = 2.5 * Refusal.maxKept + 1
    assert.deepStrictEqual(
      yield* sequences(store),
      times(Refusal.maxKept, (index) => newest - index),
    )
  })

  test("refusals are counted by cause, channel, country and hour", function* (store) {
    yield* open(store)
    const balance: Refusal.Count = {
      ...counted,
      code: "insufficient_balance",
      reason: null,
      channel: null,
      country: "",
      count: 1,
    }
    yield* run(store, record({ counts: [counted, balance] }))
    yield* run(store, record({ counts: [{ ...counted, count: 4 }] }))
    yield* TestClock.adjust(hour)
    yield* run(store, record({ counts: [{ ...counted, at: now + hour, count: 2 }] }))
    const query = { kinds: ["refusals"], from: 0, to: now + 9 * hour } as const
    const lines = (slotMillis: number) =>
      Effect.map(store.totals(organizationId, { ...query, slotMillis }), (rows) =>
        rows.map(({ channel, count, country, gateway, outcome }) =>
          [channel, country, gateway, outcome, count].join("/"),
        ),
      )
    assert.deepStrictEqual(yield* lines(hour), [
      "///insufficient_balance/1",
      "sms/BD//rate_limited:rate/7",
      "sms/BD//rate_limited:rate/2",
    ])
    assert.deepStrictEqual(yield* lines(24 * hour), [
      "///insufficient_balance/1",
      "sms/BD//rate_limited:rate/9",
    ])
    yield* sound(store)
  })

  test("a search selects by number, code, time and place", function* (store) {
    yield* open(store)
    yield* TestClock.adjust(hour)
    const strange = { ...at(20), digest: "digest of another" }
    const blocked = { ...at(30), code: "invalid_request", reason: "prefix_blocked" } as const
    yield* run(store, record({ kept: [at(10), strange, blocked, { ...at(40), digest: null }] }))
    const expected: ReadonlyArray<readonly [Partial<RefusalSearch>, ReadonlyArray<number>]> = [
      [{}, [4, 3, 2, 1]],
      [{ digests }, [3, 1]],
      [{ digests: ["of an old secret", digest] }, [3, 1]],
      [{ digests: ["unknown"] }, []],
      [{ codes: ["invalid_request", "too_many_pending"] }, [3]],
      [{ codes: [] }, []],
      [{ codes: ["rate_limited"], digests }, [1]],
      [{ from: now + 20, to: now + 30 }, [3, 2]],
      [{ before: 3 }, [2, 1]],
      [{ before: 4, limit: 1, digests }, [3]],
    ]
    for (const [search, rows] of expected) {
      assert.deepStrictEqual(yield* sequences(store, search), rows, JSON.stringify(search))
    }
  })

  test("there is a page of an organization without refusals, and none of an unknown one", function* (store) {
    yield* open(store)
    assert.deepStrictEqual(yield* found(store), [])
    assert.isUndefined(yield* store.refusals(OrganizationId("unknown"), all))
    const outcome = yield* run(store, record({ organization: OrganizationId("unknown") }))
    assert.deepStrictEqual(outcome, { _tag: "NoAccount" })
  })

  test("old refusals are dropped, and later ones go on after them", function* (store) {
    yield* open(store)
    yield* run(store, record({ kept: times(5, () => limited), counts: [counted] }))
    yield* TestClock.adjust(hour)
    yield* run(store, record({ kept: [at(hour)] }))
    assert.deepStrictEqual(yield* prune(store, "refusals", { keepMillis: hour }), [0])
    yield* TestClock.adjust(1)
    const dropped = yield* prune(store, "refusals", { keepMillis: hour, limit: 2 })
    assert.deepStrictEqual(dropped, [2, 2, 1])
    assert.deepStrictEqual(yield* sequences(store), [6])
    yield* run(store, record({ kept: [at(hour)] }))
    assert.deepStrictEqual(yield* sequences(store), [7, 6])
    yield* sound(store)
  })

  test("an erasure leaves of a refusal what tells of no number", function* (store) {
    yield* open(store)
    const ofRequest = { ...limited, requestId: Samples.requestId(1) }
    const strange = { ...limited, digest: "digest of another" }
    yield* run(store, record({ kept: [ofRequest, strange, limited] }))
    assert.deepStrictEqual(
      (yield* personal(store)).refusals.map(({ sequence }) => sequence),
      [1, 3],
    )
    const { counts } = yield* erase(store)
    assert.strictEqual(counts.refusals, 2)
    const of = { organization: organizationId }
    const erased = { digest: null, maskedNumber: null, requestId: null }
    assert.deepStrictEqual(yield* found(store), [
      { ...limited, ...of, ...erased, sequence: 3 },
      { ...strange, ...of, sequence: 2 },
      { ...limited, ...of, ...erased, sequence: 1 },
    ])
    assert.deepStrictEqual((yield* personal(store)).refusals, [])
    assert.lengthOf((yield* personal(store, other)).refusals, 1)
    assert.strictEqual((yield* erase(store)).counts.refusals, 0)
    // The next refusal takes the next place.
    yield* run(store, record({ kept: [limited] }))
    assert.deepStrictEqual(yield* sequences(store), [4, 3, 2, 1])
  })
}
