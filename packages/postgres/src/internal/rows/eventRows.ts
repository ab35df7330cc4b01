/** The event log. Rows are only inserted, erased, and deleted from the oldest on. */
import { errorCodes } from "@countersign/core/domain/errors/ErrorCode"
import type { LoggedEvent } from "@countersign/core/domain/events/Event"
import * as EventTable from "@countersign/core/domain/events/EventTable"
import { channels } from "@countersign/core/domain/values/Channel"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { identifier, int8, jsonb, orNull, type Row, text } from "./columns.ts"
import { rowTable } from "./rowTable.ts"

const decodeObject = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

/** The fields of frequent events have columns of their own, because JSON takes longer to write. */
export const events = rowTable("events", ["sequence"], {
  organization: identifier(OrganizationId),
  sequence: int8,
  at: int8,
  type: text,
  requestId: orNull(text),
  messageSequence: orNull(int8),
  phoneNumber: orNull(text),
  purpose: orNull(text),
  metadata: orNull(text),
  channel: orNull(text),
  status: orNull(text),
  /** The other fields of the event. */
  data: orNull(jsonb<object>(decodeObject)),
})

type EventRow = ReturnType<typeof events.decode>

export const encodeEvent = (event: LoggedEvent): EventRow => {
  const request = "requestId" in event ? event : undefined
  return {
    organization: event.organization,
    sequence: event.sequence,
    at: event.at,
    type: event._tag,
    requestId: request?.requestId ?? null,
    messageSequence: "messageSequence" in event ? event.messageSequence : null,
    phoneNumber: request?.phoneNumber ?? null,
    purpose: request?.purpose ?? null,
    metadata: request?.metadata ?? null,
    channel: "channel" in event ? event.channel : null,
    status: "status" in event ? event.status : null,
    data: dataOf(event),
  }
}

/** The fields with columns of their own. */
const inColumns: ReadonlySet<string> = new Set(["_tag", ...Object.keys(events.fields)])

const dataOf = (event: LoggedEvent): object | null => {
  const data = Object.entries(event).filter(([name]) => !inColumns.has(name))
  return data.length === 0 ? null : Object.fromEntries(data)
}

const { Boolean, Int, Literals, NullOr, String, Struct } = Schema

const key = {
  id: String.pipe(Schema.brand("@countersign/core/ApiKeyId")),
  name: String,
}

const kinds: Readonly<Record<EventTable.Kind, Schema.Decoder<unknown>>> = {
  text: String,
  textOrNull: NullOr(String),
  integer: Int,
  money: Int,
  phoneNumber: String,
  metadata: NullOr(String),
  requestId: String,
  webhookId: String,
  channel: Literals(channels),
  status: Literals(messageStatuses),
  newApiKey: Struct({ ...key, environment: Literals(["live", "test"]) }),
  apiKey: Struct(key),
  brand: Struct({
    id: String,
    kind: Literals(["masking", "non-masking", "whatsapp"]),
    sender: String,
    status: Literals(["pending", "approved", "rejected", "withdrawn"]),
    isDefault: Boolean,
  }),
  refusals: Schema.Array(
    Struct({
      code: Literals(errorCodes),
      reason: NullOr(String),
      count: Int,
    }),
  ),
  settings: Schema.Array(Literals(EventTable.settings)),
}

const about = { organization: String, sequence: Int, at: Int }

const rows: Readonly<Record<string, EventTable.Row>> = EventTable.eventTable

const decoders = new Map(
  Object.entries(rows).map(([tag, { payload }]) => {
    const fields = Record.map(payload, (field: EventTable.Field) =>
      typeof field === "string" ? kinds[field] : Literals(field),
    )
    return [tag, Schema.decodeUnknownSync(Struct({ ...about, ...fields }))]
  }),
)

/** Throws for a row that no version has written. */
export const decodeEvent = (row: Row): LoggedEvent => {
  const { data, type, ...columns } = events.decode(row)
  const decode = decoders.get(type)
  if (decode === undefined) throw new TypeError(`There is no event ${type}`)
  const fields: Iterable<ReadonlyArray<unknown>> = Object.entries(decode({ ...columns, ...data }))
  return Object.fromEntries([["_tag", type], ...fields])
}
