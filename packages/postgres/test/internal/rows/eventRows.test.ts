import {
  eventTable,
  type Field,
  type Kind,
  type Row as EventTableRow,
} from "@countersign/core/domain/events/EventTable"
import { assert, describe, it } from "vitest"
import type { Row } from "../../../src/internal/rows/columns.ts"
import { decodeEvent, encodeEvent } from "../../../src/internal/rows/eventRows.ts"

/** A value of each kind, as rows have it. */
const values: Readonly<Record<Kind, unknown>> = {
  text: "text",
  textOrNull: null,
  integer: 3,
  money: 1_500_000,
  phoneNumber: "+8801*****678",
  metadata: '{"order":7}',
  requestId: "req_1",
  webhookId: "whk_1",
  channel: "whatsapp",
  status: "delivered",
  newApiKey: { id: "key_1", name: "CI", environment: "live" },
  apiKey: { id: "key_1", name: "CI" },
  brand: { id: "brd_1", kind: "masking", sender: "Acme", status: "approved", isDefault: true },
  refusals: [{ code: "rate_limited", reason: "recipient", count: 2 }],
  settings: ["name", "limits"],
}

const valueOf = (field: Field): unknown => (typeof field === "string" ? values[field] : field[0])

/** The fields with columns of their own. The others are in `data`. */
const columns: Readonly<Record<string, string>> = {
  requestId: "request_id",
  messageSequence: "message_sequence",
  phoneNumber: "phone_number",
  purpose: "purpose",
  metadata: "metadata",
  channel: "channel",
  status: "status",
}

const nulls = Object.fromEntries(Object.values(columns).map((name) => [name, null]))

const rowOf = (type: string, { payload }: EventTableRow): Row => {
  const fields = Object.entries(payload).map(([name, field]) => [name, valueOf(field)] as const)
  const isApart = ([name]: readonly [string, unknown]) => name in columns
  const data = fields.filter((field) => !isApart(field))
  return {
    organization: "acme",
    sequence: 1,
    at: 1_767_225_600_123,
    type,
    ...nulls,
    ...Object.fromEntries(
      fields.filter(isApart).map(([name, value]) => [columns[name] ?? name, value]),
    ),
    data: data.length === 0 ? null : Object.fromEntries(data),
  }
}

const rows = Object.entries<EventTableRow>(eventTable).map(([type, row]) => rowOf(type, row))

describe("stored events", () => {
  it.each(rows)("have the columns that they are read from: $type", (row) => {
    const event = decodeEvent(row)
    assert.strictEqual(event._tag, row["type"])
    const written = Object.entries(encodeEvent(event)).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ])
    assert.deepStrictEqual(Object.fromEntries(written), row)
  })

  it.each([
    { type: "Unheard" },
    { type: "WebhookFailing", data: { webhookId: "whk_1", reason: "tired" } },
    { type: "BalanceLow", data: { balance: "1.00", threshold: 1 } },
    { type: "Verified", request_id: null },
  ])("are refused if no version has written them: %j", (changes) => {
    const [row] = rows
    assert.throws(() => decodeEvent({ ...row, ...changes }))
  })
})
