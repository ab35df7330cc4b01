/** Fields that several bodies of the admin API have. */
import { refuse } from "@countersign/core/api/Fields"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as IsoDate from "@countersign/core/domain/values/IsoDate"

/** An instant as ISO 8601. A date alone is the start or the end of that day in UTC. */
const instant = (edge: IsoDate.Edge, description: string) =>
  Schema.String.annotate({
    description,
    format: "date-time",
    examples: ["2026-01-31T09:30:00.000Z"],
  }).pipe(
    Schema.decodeTo(
      Schema.Date,
      SchemaTransformation.transformEffect({
        decode: (text: string) => {
          // A plus that was not escaped has become a space.
          const millis = IsoDate.parse(text.replace(/ (?=\d\d(?::?\d\d)?$)/, "+"), edge)
          return millis === undefined
            ? refuse(FieldProblem.make("not_iso_date", {}))
            : Effect.succeed(new Date(millis))
        },
        encode: (date: Date) => Effect.succeed(date.toISOString()),
      }),
    ),
  )

export const time = instant("start", "ISO 8601.")

/** Inclusive, so that a date alone includes that day. */
export const endTime = instant("end", "Inclusive. A date alone includes that day.")

/** Inclusive. */
export const startTime = instant("start", "Inclusive.")

export const timeOrNull = Schema.NullOr(time)

export const textOrNull = Schema.NullOr(Schema.String)

export const decimal = Schema.String.annotate({ description: "A decimal.", examples: ["99.50"] })

export { duration } from "@countersign/core/api/Fields"

export const channel = Schema.Literals(["sms", "whatsapp"])

export const metadata = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description: "A JSON object of the host.",
})

export const integerBetween = (min: number, max: number) =>
  Schema.String.annotate({ description: `An integer from ${min} to ${max}.` }).pipe(
    Schema.decodeTo(
      Schema.Int,
      SchemaTransformation.transformEffect({
        decode: (text: string) => {
          if (!/^\d{1,16}$/.test(text)) return refuse(FieldProblem.make("not_integer", {}))
          const value = Number(text)
          return value < min || value > max
            ? refuse(FieldProblem.make("out_of_range", { min, max }))
            : Effect.succeed(value)
        },
        encode: (value: number) => Effect.succeed(String(value)),
      }),
    ),
  )

/** A sequence in a query. The place is exclusive. */
export const sequence = Schema.optional(integerBetween(0, Number.MAX_SAFE_INTEGER))

/** The number of rows in a page. */
export const limit = Schema.optional(integerBetween(1, 1_000))

/** Where the next page begins. */
export const next = textOrNull.annotate({
  description: "Pass it on for the next page. Null after the last page.",
})

/** A body with a name in the OpenAPI document. */
export const body = <const Members extends Schema.Struct.Fields>(
  identifier: string,
  members: Members,
): Schema.Struct<Members> => Schema.Struct(members).annotate({ identifier })

const organization = Schema.String.annotate({ description: "The id of the organization." })

/** The parameters of a path. */
export const ofOrganization = { organization }

export const withId = {
  organization,
  id: Schema.String.annotate({ description: "The `id` of the thing in its list." }),
}

export const withRequest = {
  organization,
  requestId: Schema.String.annotate({ description: "The id of the verification." }),
}

/** A parameter of a query. */
export const parameter = <A extends Schema.Top>(schema: A, description: string) =>
  Schema.optional(schema.annotate({ description }))

export const cursor = parameter(Schema.String, "`next` of the page before, of the same search.")
