/** The operations on the event log, and events as callers get them. They follow from the table of events. */
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Structs from "effect/Struct"
import { errorCodes } from "../domain/errors/ErrorCode.ts"
import * as Domain from "../domain/events/Event.ts"
import * as EventTable from "../domain/events/EventTable.ts"
import { apiKeys } from "./apiKeys.ts"
import * as Fields from "./Fields.ts"
import { status } from "./messages.ts"
import { get, operation } from "./Operation.ts"
import { changedBrand } from "./senders.ts"
import type { Event } from "./types/events.ts"

const { Array, Int, Literals, NullOr, String, Struct } = Schema
const { field, optional, record, textOrNull, time } = Fields

const { id, environment, name } = apiKeys.create.output.fields

/** The schema of a member, by its kind. Amounts are decimals already. */
const kinds = {
  text: String,
  textOrNull,
  integer: Int,
  money: String.annotate({ description: "A decimal.", examples: ["99.50"] }),
  phoneNumber: String,
  metadata: NullOr(
    Schema.Record(String, Schema.Unknown).annotate({ description: "A JSON object of the host." }),
  ),
  requestId: String,
  webhookId: String,
  channel: Literals(["sms", "whatsapp"]),
  status,
  newApiKey: Struct({ id, name, environment }),
  apiKey: Struct({ id, name }),
  brand: changedBrand,
  refusals: Array(Struct({ code: Literals(errorCodes), reason: textOrNull, count: Int })),
  settings: Array(Literals(EventTable.settings)),
} satisfies Record<EventTable.Kind, Schema.Top>

const about = { organization: String, at: time, sequence: Int }

type FieldOf<F> =
  F extends ReadonlyArray<infer Text extends string>
    ? Schema.Literals<ReadonlyArray<Text>>
    : F extends EventTable.Kind
      ? (typeof kinds)[F]
      : never

type BodyOf<R> = R extends { readonly type: infer Type extends string; readonly payload: infer P }
  ? Schema.Struct<
      typeof about & { readonly type: Schema.Literal<Type> } & {
        readonly [Name in keyof P]: FieldOf<P[Name]>
      }
    >
  : never

interface EventBody extends Structs.Lambda {
  (row: EventTable.Row): Schema.Top
  readonly "~lambda.out": BodyOf<this["~lambda.in"]>
}

const bodies = Structs.map(
  EventTable.eventTable,
  Structs.lambda<EventBody>(({ payload, type }) =>
    Struct({
      type: Schema.Literal(type),
      ...about,
      ...Record.map(payload, (field: EventTable.Field) =>
        typeof field === "string" ? kinds[field] : Literals(field),
      ),
    }),
  ),
)

const membersOf = (event: Domain.OrganizationEvent<string>) => [
  ...Domain.plainFields(event),
  ["type", EventTable.eventTable[event._tag].type],
]

/** An event of the event log. Its phone number is masked. */
export const loggedEvent = Fields.view(
  Schema.Union(Object.values(bodies)).annotate({ identifier: "LoggedEvent" }),
  (event: Domain.LoggedEvent) => Object.fromEntries([...membersOf(event), ["at", event.at]]),
)

/** The event as listeners in this process get it. */
export const eventOf = (event: Domain.Event): Event => {
  const at = new Date(event.at)
  if (event._tag === "GatewayHealthChanged") {
    const { _tag, ...changed } = event
    return { ...changed, type: "gateway_health_changed", at }
  }
  return Object.fromEntries([...membersOf(event), ["at", at]])
}

/** The operations on the event log. */
export const eventLog = {
  list: operation({
    summary: "Read events",
    meaning: "Those after `after`, in order, and how far the log reaches.",
    input: Fields.input("ReadEvents", "Selects a part of the event log.", {
      after: optional(Int, "The `sequence` of the last event that you have.", "0"),
      limit: Fields.limit,
    }),
    output: record("EventPage", "A part of the event log.", {
      events: Array(loggedEvent).annotate({ description: "In order." }),
      first: field(Int, "The `sequence` of the oldest event that retention has kept."),
      last: field(Int, "The `sequence` of the newest event; 0 before the first."),
    }),
    admin: get("events.read", "read", "/organizations/:organization/events"),
  }),
}
