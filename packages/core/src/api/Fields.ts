/** Fields that several operations have. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as FieldReaders from "../domain/values/FieldReaders.ts"
import { messageClasses } from "../domain/values/MessageClass.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import * as Durations from "../domain/values/Duration.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import * as Ids from "../domain/values/Ids.ts"
import * as IsoDate from "../domain/values/IsoDate.ts"
import * as Money from "../domain/values/Money.ts"

/** Describes a member. @defaultValue of an optional member as documentation states it */
export const field = <S extends Schema.Top>(
  schema: S,
  description: string,
  defaultValue?: string,
): S["Rebuild"] => schema.annotateKey({ description, ...(defaultValue && { defaultValue }) })

/** As `field`, for a member that may be missing. */
export const optional = <S extends Schema.Top>(
  schema: S,
  description: string,
  defaultValue?: string,
): Schema.optional<S>["Rebuild"] => field(Schema.optional(schema), description, defaultValue)

/** A text. */
export const text = (description: string) => field(Schema.String, description)

/** As `text`, for a member that may be missing. */
export const optionalText = (description: string, defaultValue?: string) =>
  optional(Schema.String, description, defaultValue)

/** A record with a name. */
export const record = <const F extends Schema.Struct.Fields>(
  identifier: string,
  description: string,
  fields: F,
): Schema.Struct<F> =>
  Schema.Struct(fields).annotate({ identifier, ...(description && { description }) })

/** A problem with a field, as programs read it. */
export const fieldFailure = record("FieldFailure", "A problem with a field.", {
  code: text("The code of the problem, for programs."),
  params: field(Schema.Record(Schema.String, Schema.Unknown), "The parameters of the code."),
  message: text("The problem in words, for people, without the name of the field."),
})

/** The issue of a value with a problem. */
export const refuse = (
  problem: FieldProblem.FieldProblem,
): Effect.Effect<never, SchemaIssue.Issue> =>
  Effect.fail(new SchemaIssue.InvalidValue({ message: problem.message, problem }))

const parsed = <A>(
  read: Result.Result<A, FieldProblem.FieldProblem>,
): Effect.Effect<A, SchemaIssue.Issue> =>
  Result.isSuccess(read) ? Effect.succeed(read.success) : refuse(read.failure)

/** A value that the caller writes as text, or in another plain form. */
export const written = <From extends Schema.Top, A>(
  from: From,
  is: (value: unknown) => value is A,
  decode: (value: From["Type"]) => Result.Result<A, FieldProblem.FieldProblem>,
  encode: (value: A) => From["Type"],
) =>
  from.pipe(
    Schema.decodeTo(
      Schema.declare(is),
      SchemaTransformation.transformEffect({
        decode: (value: From["Type"]) => parsed(decode(value)),
        encode: (value: A) => Effect.succeed(encode(value)),
      }),
    ),
  )

/** An output that an operation returns as `A`, and shows as a record. */
export const view = <A, To extends Schema.Top>(to: To, show: (value: A) => To["Type"]) =>
  to.pipe(
    Schema.decodeTo(
      Schema.declare((_value: unknown): _value is A => true),
      SchemaTransformation.transformEffect({
        decode: (): Effect.Effect<A, SchemaIssue.Issue> =>
          Effect.fail(new SchemaIssue.Forbidden({ message: "is an output" })),
        encode: (value: A) => Effect.succeed(show(value)),
      }),
    ),
  )

/** An instant as ISO 8601. A date alone is the start or the end of that day in UTC. */
const instant = (edge: IsoDate.Edge, description: string) =>
  Schema.Date.annotate({
    toCodecJson: () =>
      Schema.link<Date>()(
        Schema.String.annotate({
          description,
          format: "date-time",
          examples: ["2026-01-31T09:30:00.000Z"],
        }),
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
  }).pipe(
    Schema.decodeTo(
      Schema.Number,
      SchemaTransformation.transform({
        decode: (date: Date) => date.getTime(),
        encode: (millis: number) => new Date(millis),
      }),
    ),
  )

/** Epoch milliseconds. */
export const time = instant("start", "ISO 8601.")

export const timeOrNull = Schema.NullOr(time)

export const startTime = instant("start", "Inclusive.")

/** A date alone includes that day. */
export const endTime = instant("end", "Inclusive. A date alone includes that day.")

/** Selects rows by their times. In the promise API `to` is exclusive. */
export const times = {
  from: optional(startTime, "Inclusive.", "no bound"),
  to: optional(endTime, "Inclusive. Over HTTP, a date alone includes that day.", "no bound"),
}

export const period = {
  from: field(startTime, "Inclusive."),
  to: field(instant("start", "Exclusive."), "Exclusive."),
}

export const textOrNull = Schema.NullOr(Schema.String)

const isMoney = (value: unknown): value is Money.Money => Number.isSafeInteger(value)

/** An amount, written as a decimal. */
export const money = written(
  Schema.String.annotate({ description: "A decimal.", examples: ["99.50"] }),
  isMoney,
  Money.fromDecimal,
  Money.format,
)

export const messageClass = Schema.Literals(messageClasses).annotate({ named: "MessageClass" })

export const channel = Schema.Literals(["sms", "whatsapp"]).annotate({ named: "Channel" })

// Accepts every value, so that the problem of a bare number states what it probably means. Effect does not describe
// the checks of `Unknown`.
const durationText = Schema.Any.check(
  Schema.makeFilter<unknown>(() => true, { toJsonSchema: () => ({ type: "string" }) }),
).annotate({
  description: "A number with its unit.",
  examples: ["60 seconds", "5 minutes"],
})

/** A number with its unit. */
export const duration = written(
  durationText,
  Durations.is,
  (value) =>
    Durations.is(value)
      ? Result.succeed(value)
      : Result.flatMap(Durations.toMillis(value), () =>
          Result.fail(FieldProblem.make("not_string", {})),
        ),
  (text): unknown => text,
).annotate({ named: "Duration" })

/** The problem of an id that no organization can have. Callers get the error of an unknown id. */
export const noOrganization: FieldProblem.FieldProblem<"invalid_id"> = FieldProblem.make(
  "invalid_id",
  { min: 1, max: 64 },
)

const organizationText = (problem: FieldProblem.FieldProblem) =>
  written(
    Schema.String,
    Ids.isOrganizationId,
    (text) => (Ids.isOrganizationId(text) ? Result.succeed(text) : Result.fail(problem)),
    (id): string => id,
  )

/** The id of an organization that has to exist. */
export const organizationId = organizationText(noOrganization)

/** An id after which a page begins. */
export const lastOrganizationId = organizationText(
  FieldProblem.make("invalid_id", { min: 1, max: 64 }),
)

/** The organization of hosts with a single one. */
export const defaultOrganization = "default"

/** The organization that a call concerns. In the promise API it is not a field: `organization(id)` has chosen it. */
export const organization = field(organizationId, "The organization.")

/** The input of an operation of an organization. */
export const input = <const F extends Schema.Struct.Fields>(
  identifier: string,
  description: string,
  fields: F,
) => record(identifier, description, { organization, ...fields })

/** The input of an operation that needs no more. */
export const ofOrganization = input(
  "OfOrganization",
  "Selects an organization: its balance, log and limits.",
  {},
)

/** The number of items in a page. */
export const limit = optional(
  Schema.Int.annotate({ bounds: { min: 1, max: 1_000 } }),
  "Items in the page, 1 to 1,000.",
  "100",
)

/** A page of a list in the order of creation. */
export const listPage = input("ListPage", "Selects a page of a list.", {
  after: optionalText("The last id of the previous page.", "the first page"),
  limit,
})

const textOf = <A extends string>(
  read: (text: string) => Result.Result<A, FieldProblem.FieldProblem>,
) =>
  written(
    Schema.String,
    (value: unknown): value is A => typeof value === "string",
    read,
    (known): string => known,
  )

/** An id as text. Any text may be one. */
export const id = <A extends string>(make: (text: string) => A) =>
  textOf((text) => Result.succeed(make(text)))

/** The zone of a period that is divided into hours or days. */
export const zone = optionalText(
  "The zone in which hours and days begin, such as `Asia/Dhaka`.",
  "the zone of the organization",
)

/** The phone number of a result. */
export const phoneNumber = id(PhoneNumber.fromE164)

const readAs =
  <A>(read: FieldReaders.Reader<A>) =>
  (value: unknown): Result.Result<A, FieldProblem.FieldProblem> => {
    const found = read(value)
    return FieldProblem.isFieldProblem(found) ? Result.fail(found) : Result.succeed(found)
  }

/** A text that is not empty. */
export const name = textOf(readAs(FieldReaders.name))

/** A JSON object of the host, which the engine keeps as text. */
export const metadata = written(
  Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "A JSON object of the host.",
  }),
  (value: unknown): value is string => typeof value === "string",
  readAs(FieldReaders.jsonText),
  Schema.decodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))),
).annotate({ named: "Metadata" })

const redacted = (label?: string) =>
  written(
    Schema.String,
    (value: unknown): value is Redacted.Redacted<string> => Redacted.isRedacted(value),
    (text) => Result.succeed(Redacted.make(text, { label })),
    Redacted.value,
  )

/** A code as a user has typed it. */
export const code = field(
  redacted("code"),
  "The code as the user typed it; 1 to 32 characters. White space and hyphens are ignored.",
)

/** A secret that is shown once. */
export const secret = redacted()

/** A phone number whose data is concerned. */
export const ofPhoneNumber = input("OfNumber", "Selects a phone number.", {
  phoneNumber: text("In E.164 form; the plus is optional."),
}).annotate({ named: "OfPhoneNumber" })

/** The sender of a message. */
export const sender = optionalText(
  "A sender's id, an approved masking name, or a registered number.",
  "the channel's default",
)

/** Where a search goes on. */
export const cursor = optionalText(
  "`next` of the page before, of the same search.",
  "the first page",
)

/** `null` instead of `undefined`, in outputs. */
export const orNull = <A, E>(schema: Schema.Codec<A, E>) =>
  view(Schema.NullOr(schema), (value: A | undefined) => value ?? null)

/** The \`cursor\` of the next page. */
export const next = orNull(Schema.String).pipe(
  Schema.annotateEncoded({
    description: "Pass it on for the next page. Null after the last page.",
  }),
)

/** Your own key of a call that may be repeated. */
export const idempotencyKey = optionalText(
  "Your own key of the call: 1 to 255 printable characters, unique for each call of the organization and the method. A repeat with the key within 24 hours has no effect and gets the answer of the first call, on any node. A call that was refused before it had an effect is judged again.",
  "none: each call has its own effect",
)
