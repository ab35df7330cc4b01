/** Fields that several bodies of the admin API have. */
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as IsoDate from "../../IsoDate.ts"

const refuse = (code: "not_iso_date" | "not_integer") =>
  Effect.fail(new SchemaIssue.InvalidValue({ message: FieldProblem.make(code, {}).message }))

/** An instant as ISO 8601. A date alone is the start or the end of that day in UTC. */
const instant = (edge: IsoDate.Edge) =>
  Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T09:30:00.000Z"] }).pipe(
    Schema.decodeTo(
      Schema.Date,
      SchemaTransformation.transformEffect({
        decode: (text: string) => {
          // A plus that was not escaped has become a space.
          const millis = IsoDate.parse(text.replace(/ (?=\d\d(?::?\d\d)?$)/, "+"), edge)
          return millis === undefined ? refuse("not_iso_date") : Effect.succeed(new Date(millis))
        },
        encode: (date: Date) => Effect.succeed(date.toISOString()),
      }),
    ),
  )

export const time = instant("start")

/** Inclusive, so that a date alone includes that day. */
export const endTime = instant("end")

export const timeOrNull = Schema.NullOr(time)

export const textOrNull = Schema.NullOr(Schema.String)

export const decimal = Schema.String.annotate({ description: "A decimal.", examples: ["99.50"] })

export const channel = Schema.Literals(["sms", "whatsapp"])

export const metadata = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description: "A JSON object of the host.",
})

/** An integer in a query. */
export const integerInQuery = Schema.String.annotate({ description: "An integer." }).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transformEffect({
      decode: (text: string) =>
        /^\d{1,15}$/.test(text) ? Effect.succeed(Number(text)) : refuse("not_integer"),
      encode: (value: number) => Effect.succeed(String(value)),
    }),
  ),
)

/** Where the next page begins. */
export const next = textOrNull.annotate({
  description: "Pass it on for the next page. Null after the last page.",
})

/** The query of a list whose pages begin after an id. */
export const listQuery = {
  after: Schema.optional(Schema.String),
  limit: Schema.optional(integerInQuery),
}

/** A body with a name in the OpenAPI document. */
export const body = <const Members extends Schema.Struct.Fields>(
  identifier: string,
  members: Members,
): Schema.Struct<Members> => Schema.Struct(members).annotate({ identifier })

const organization = Schema.String.annotate({ description: "The id of the organization." })

/** The parameters of a path. */
export const ofOrganization = { organization }

export const withId = { organization, id: Schema.String }

export const withRequest = { organization, requestId: Schema.String }

/** The query of a period. `to` is exclusive. */
export const period = { from: time, to: time }
