import { readFileSync } from "node:fs"
import type { LoggedEvent } from "@countersign/core/domain/events/Event"
import { eventTable } from "@countersign/core/domain/events/EventTable"
import { bodyOf } from "@countersign/core/domain/webhooks/Webhook"
import { assert, describe, it } from "vitest"
import type { Row } from "../../../src/internal/rows/columns.ts"
import { decodeEvent, encodeEvent } from "../../../src/internal/rows/eventRows.ts"

interface Fixture {
  readonly row: Row
  readonly event: LoggedEvent
  /** The body of a webhook, from the stored row. */
  readonly body: string
}

/** Rows as they were written before there was a table of events. */
const fixtures: ReadonlyArray<Fixture> = JSON.parse(
  readFileSync(new URL("../../fixtures/eventRows.json", import.meta.url), "utf8"),
)

const columnOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

describe("stored events", () => {
  it("are of every type", () => {
    assert.sameMembers(Object.keys(eventTable), [
      ...new Set(fixtures.map(({ event }) => event._tag)),
    ])
  })

  it.each(fixtures)("are read as they were written: $event._tag", ({ body, event, row }) => {
    const read = decodeEvent(row)
    assert.deepStrictEqual(read, event)
    assert.strictEqual(bodyOf(read, null), body)
  })

  it.each(fixtures)("are written as ever: $event._tag", ({ event, row }) => {
    const written = Object.entries(encodeEvent(event)).map(([name, value]) => [
      columnOf(name),
      value,
    ])
    assert.deepStrictEqual(Object.fromEntries(written), row)
  })

  it.each([
    { type: "Unheard" },
    { type: "WebhookFailing", data: { webhookId: "whk_1", reason: "tired" } },
    { type: "BalanceLow", data: { balance: "1.00", threshold: 1 } },
    { type: "Verified", request_id: null },
  ])("are refused if no version has written them: %j", (columns) => {
    const [{ row } = { row: {} }] = fixtures
    assert.throws(() => decodeEvent({ ...row, ...columns }))
  })
})
