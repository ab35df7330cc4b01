/** What an erasure leaves in the database, read from its tables and not through the store. */
import type { Command } from "@countersign/core/decide/Command"
import { fromE164 } from "@countersign/core/domain/values/PhoneNumber"
import { Store } from "@countersign/core/ports/Store"
import { Privacy } from "@countersign/core/services/Privacy"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { run, server, storeLayer } from "./fixtures/databases.ts"
import { tablesWith } from "./fixtures/storedNumbers.ts"
import { testsOver } from "../../../test/support/testsOver.ts"

const { messageId, organizationId: organization, requestId } = Samples

const person = fromE164("+8801712345678")
const digits = person.slice(1)
const text = "parcel for you"
const words = "a visitor of mine"

/** What a row may tell: the number, whole or masked, and in base64, whose letters depend on the place; words. */
const told = [
  digits,
  digits.slice(3),
  "8801*****678",
  ...[0, 1, 2].map((shift) => btoa(digits.slice(shift, shift + 9))),
  text,
  words,
]

const gatewayId = `wamid.${btoa(`HBgN${digits}FQIAEhg`)}`
const draft = (index: number) => Samples.newMessage({ id: messageId(index), text })

/** A message and its report; a verified request, one that has failed, and a pending one. */
const history = Effect.gen(function* () {
  const store = yield* Store
  const execute = (command: Command) => store.execute(command)
  yield* execute(Samples.topUp())
  const idempotency = Samples.idempotentCall()
  yield* execute(Samples.holdMessage({ phoneNumber: person, draft: draft(1), idempotency }))
  yield* execute(Samples.recordDispatch({ outcome: { _tag: "Accepted", gatewayId } }))
  yield* execute(Samples.recordAnswer({ answer: `{"gatewayId":"${gatewayId}"}` }))
  const source = Samples.reportSource({ gatewayId, evidence: `{"id":"${gatewayId}"}` })
  yield* execute(Samples.applyReport({ detail: `to ${person}`, source }))
  const metadata = JSON.stringify({ words })
  for (const index of [2, 3, 4]) {
    const about = { requestId: requestId(index), purpose: words, metadata }
    yield* execute(
      Samples.requestVerification({ ...about, phoneNumber: person, draft: draft(index) }),
    )
    yield* execute(
      Samples.recordDispatch({
        messageSequence: index,
        requestId: requestId(index),
        outcome: { _tag: "Delivered", gatewayId: `${gatewayId}${index}` },
      }),
    )
  }
  yield* execute(Samples.checkCode({ requestId: requestId(2), client: ["digest of a client"] }))
  yield* execute(Samples.cancelVerification({ requestId: requestId(3) }))
  const queued = { call: `{"text":"${text}"}`, orderKey: words, phoneNumber: person }
  yield* store.enqueue(
    [5, 6].map((index) => Samples.queuedSend({ id: messageId(index), ...queued })),
  )
  yield* execute(Samples.endQueued({ queued: { id: messageId(5) }, end: "expired" }))
  const kept = { gateway: "simulated", gatewayId, status: "failed" } as const
  yield* store.keepReport({ ...kept, detail: null, evidence: null })
})

const database = server()
const engine = TestEngine.layer({
  store: Layer.provide(storeLayer(), database),
}).pipe(Layer.provideMerge(database))

const test = testsOver(engine)

describe("an erasure", () => {
  test.live("leaves the number, its texts and its words in no table", function* () {
    const store = yield* Store
    yield* store.createOrganization(Samples.organization())
    yield* history
    assert.deepStrictEqual(yield* tablesWith(told), [
      "events",
      "gateway_ids",
      "idempotency_keys",
      "kept_reports",
      "messages",
      "outbox",
      "recipients",
      "reports",
      "verifications",
    ])
    const privacy = yield* Privacy
    const { left } = yield* privacy.erase({ organization, phoneNumber: person })
    assert.strictEqual(left, 0)
    assert.deepStrictEqual(yield* tablesWith(told), [])
  })

  test.live(
    "has a row for every column in the list of docs/reference/stored-data.md",
    function* () {
      const rows = yield* run(
        `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
          WHERE table_schema = 'countersign' AND table_name <> 'migrations'`,
      )
      const page = readFileSync(
        join(import.meta.dirname, "../../../docs/reference/stored-data.md"),
        "utf8",
      )
      const listed = page.split("\n").flatMap((line) => {
        const [, table = "", columns = "", ...cells] = line.split("|")
        const namesIn = (cell: string) =>
          Array.from(cell.matchAll(/`([a-z_]+)`/g), ([, name]) => name)
        const [name] = namesIn(table)
        return cells.length >= 2 && name !== undefined
          ? namesIn(columns).map((column) => `${name}.${column}`)
          : []
      })
      assert.deepStrictEqual(listed.toSorted(), rows.map((row) => String(row["name"])).toSorted())
    },
  )
})
