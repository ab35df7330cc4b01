/** Ids of gateways that contain a phone number, and the change of their keys. */
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import type { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { age, node, open, scan, send, testsOnDatabase } from "./fixtures/keyedNodes.ts"
import { run } from "./fixtures/databases.ts"
import { formsIn, tablesWith } from "./fixtures/storedNumbers.ts"

const { organizationId, phoneNumber } = Samples

const test = testsOnDatabase()

const texts = [
  ["messages", "gateway_id"],
  ["reports", "gateway_id"],
  ["reports", "evidence"],
  ["gateway_ids", "gateway_id"],
  ["kept_reports", "gateway_id"],
  ["kept_reports", "evidence"],
] as const
const formsOfTexts = (schema: string) =>
  Effect.map(
    Effect.forEach(texts, ([table, column]) => formsIn(schema, table, column)),
    (forms) => [...new Set(forms.flat())].toSorted(),
  )

/** An id of a gateway that contains a phone number, as those of WhatsApp do. */
const idOf = (to: number, index: number): string =>
  `wamid.${Buffer.from(`HB${phoneNumber(to).slice(1)}-${index}`).toString("base64")}`

const gateway = "simulated"
const evidenceOf = (id: string) => JSON.stringify({ id })

/** Accepts a message under an id with its number, and stores a report on it, and one that names no message. */
const report = Effect.fnUntraced(function* (
  store: Store["Service"],
  messageSequence: number,
  to: number,
) {
  const gatewayId = idOf(to, messageSequence)
  yield* store.execute(
    Samples.recordDispatch({
      messageSequence,
      outcome: { _tag: "Accepted", gatewayId },
      hasReports: true,
    }),
  )
  const evidence = evidenceOf(gatewayId)
  const source = { gateway, gatewayId, evidence, receivedAt: undefined }
  yield* store.execute(Samples.applyReport({ messageSequence, status: "accepted", source }))
  const unknown = { gateway, gatewayId: idOf(to, -messageSequence), evidence, detail: null }
  yield* store.keepReport({ ...unknown, status: "delivered" })
})

/** What a store has of a message, its id and its reports. */
const shown = Effect.fnUntraced(function* (store: Store["Service"], sequence: number, to: number) {
  const gatewayId = idOf(to, sequence)
  const ref = { organization: organizationId, sequence }
  const kept = (yield* store.keptReports(undefined, 100)).reports
  return {
    located: (yield* store.locate(gateway, gatewayId))?.sequence,
    message: (yield* store.message(ref))?.message?.gatewayId === gatewayId,
    reports: (yield* store.reports(ref)).map(
      (one) => one.gatewayId === gatewayId && one.evidence === evidenceOf(gatewayId),
    ),
    kept: kept.filter((one) => one.gatewayId === idOf(to, -sequence)).length,
    found: (yield* store.searchMessages(organizationId, {
      phoneNumber: phoneNumber(to),
      statuses: messageStatuses,
      before: undefined,
      limit: 10,
      examine: 10,
      from: undefined,
      to: undefined,
      gateway,
      gatewayId,
    }))?.rows.length,
  }
})

const all = (sequence: number) => ({
  located: sequence,
  message: true,
  reports: [true],
  kept: 1,
  found: 1,
})

describe("encrypted ids of gateways", () => {
  test(
    "no row of any table contains a number in an id, nor the answer to an idempotency key",
    Effect.gen(function* () {
      for (const ids of [[], ["1"]]) {
        const schema = `ids_dump_${ids.length}`
        const store = yield* node(schema, ...ids)
        yield* open(store)
        yield* send(store, 1)
        yield* report(store, 1, 1)
        const answer = JSON.stringify({ gatewayId: idOf(1, 1) })
        const idempotency = Samples.idempotentCall()
        yield* store.execute(Samples.holdMessage({ phoneNumber: phoneNumber(1), idempotency }))
        yield* store.execute(Samples.recordAnswer({ answer }))
        const tables = yield* tablesWith([idOf(1, 1), idOf(1, -1)], schema)
        const readable = ["gateway_ids", "idempotency_keys", "kept_reports", "messages", "reports"]
        assert.deepStrictEqual(tables, ids.length === 0 ? readable : [])
        assert.deepStrictEqual(yield* shown(store, 1, 1), all(1))
      }
    }),
  )

  test(
    "ids under a retiring key are found by any node, and come under the first key",
    Effect.gen(function* () {
      const old = yield* node("ids_rotated", "1", "2")
      yield* open(old)
      yield* send(old, 1)
      yield* report(old, 1, 1)
      const next = yield* node("ids_rotated", "2", "1")
      yield* report(next, 2, 1)
      for (const store of [old, next]) {
        for (const sequence of [1, 2]) {
          assert.deepStrictEqual(yield* shown(store, sequence, 1), all(sequence))
        }
      }
      yield* scan("ids_rotated", false, "2", "1")
      assert.deepStrictEqual(yield* formsOfTexts("ids_rotated"), ["2"])
      yield* age("ids_rotated")
      yield* scan("ids_rotated", false, "2", "1")
      const alone = yield* node("ids_rotated", "2")
      for (const sequence of [1, 2]) {
        assert.deepStrictEqual(yield* shown(alone, sequence, 1), all(sequence))
      }
      const [kept] = (yield* alone.keptReports(undefined, 100)).reports
      yield* alone.forgetReport(kept ?? assert.fail())
      assert.lengthOf((yield* alone.keptReports(undefined, 100)).reports, 1)
    }),
  )

  test(
    "ids in plain text are found while they are encrypted",
    Effect.gen(function* () {
      const plain = yield* node("ids_begun")
      yield* open(plain)
      yield* send(plain, 1)
      yield* report(plain, 1, 1)
      const store = yield* node("ids_begun", "1")
      assert.deepStrictEqual(yield* shown(store, 1, 1), all(1))
      yield* scan("ids_begun", true, "1")
      assert.deepStrictEqual(yield* formsOfTexts("ids_begun"), ["1"])
      assert.deepStrictEqual(yield* shown(store, 1, 1), all(1))
    }),
  )

  test(
    "an erasure removes ids in all of their forms",
    Effect.gen(function* () {
      const old = yield* node("ids_erased", "1", "2")
      yield* open(old)
      yield* send(old, 1)
      yield* report(old, 1, 1)
      const next = yield* node("ids_erased", "2", "1")
      yield* old.keepReport({
        gateway,
        gatewayId: idOf(1, 1),
        status: "delivered",
        detail: null,
        evidence: null,
      })
      for (const messageSequence of [1, 2]) {
        const source = { gateway, gatewayId: null, evidence: null, receivedAt: undefined }
        yield* next.execute(Samples.applyReport({ messageSequence, status: "delivered", source }))
      }
      const about = { organization: organizationId, phoneNumber: phoneNumber(1), answer: "" }
      const step = { ...about, digests: ["digest"], after: undefined, limit: 10 } as const
      yield* next.erase({ ...step, kind: "messages" })
      assert.isUndefined(yield* next.locate(gateway, idOf(1, 1)))
      assert.deepStrictEqual(yield* run("SELECT * FROM ids_erased.gateway_ids"), [])
      const reports = yield* next.reports({ organization: organizationId, sequence: 1 })
      for (const one of reports) assert.deepInclude(one, { gatewayId: null, evidence: null })
      const kept = (yield* next.keptReports(undefined, 100)).reports
      assert.deepStrictEqual(
        kept.map(({ gatewayId }) => gatewayId),
        [idOf(1, -1)],
      )
    }),
  )
})
