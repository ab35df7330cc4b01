/**
 * The events of the admin API.
 */
import { apiKeys } from "@countersign/core/api/apiKeys"
import { brands } from "@countersign/core/api/senders"
import {
  eventTable,
  type Field,
  type Kind,
  type Row,
  settings,
} from "@countersign/core/domain/events/EventTable"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Structs from "effect/Struct"
import { LogEntry, RefusalCount } from "./AdminMessages.ts"
import { channel, decimal, metadata, textOrNull, time } from "./internal/fields.ts"

const { Int, NullOr, String, Struct } = Schema

const { id, environment, name } = apiKeys.create.output.fields

const kinds = {
  text: String,
  textOrNull,
  integer: Int,
  money: decimal,
  phoneNumber: String,
  metadata: NullOr(metadata),
  requestId: String,
  webhookId: String,
  channel,
  status: LogEntry.fields.status,
  newApiKey: Struct({ id, name, environment }),
  apiKey: Struct({ id, name }),
  brand: brands.create.output,
  refusals: Schema.Array(RefusalCount),
  settings: Schema.Array(Schema.Literals(settings)),
} satisfies Record<Kind, Schema.Top>

const about = { organization: String, at: time, sequence: Int }

type FieldOf<F> =
  F extends ReadonlyArray<infer Text extends string>
    ? Schema.Literals<ReadonlyArray<Text>>
    : F extends Kind
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
  (row: Row): Schema.Top
  readonly "~lambda.out": BodyOf<this["~lambda.in"]>
}

const bodies = Structs.map(
  eventTable,
  Structs.lambda<EventBody>(({ payload, type }) =>
    Struct({
      type: Schema.Literal(type),
      ...about,
      ...Record.map(payload, (field: Field) =>
        typeof field === "string" ? kinds[field] : Schema.Literals(field),
      ),
    }),
  ),
)

/** An event of the event log. Its phone number is masked. */
export const LoggedEvent = Schema.Union(Object.values(bodies)).annotate({
  identifier: "LoggedEvent",
})

export const EventPage = Struct({
  events: Schema.Array(LoggedEvent).annotate({ description: "In order." }),
  first: Int.annotate({ description: "The sequence of the oldest stored event." }),
  last: Int.annotate({ description: "The sequence of the newest event; 0 before the first." }),
}).annotate({ identifier: "EventPage" })
