/** The limits of an organization, as plain data. They follow from the table of limits. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as LimitOverrides from "../domain/limits/LimitOverrides.ts"
import * as LimitTable from "../domain/limits/LimitTable.ts"
import * as Fields from "./Fields.ts"

const { Finite, NullOr } = Schema

const limit = Schema.Struct({ max: Finite, per: Fields.duration })

const kinds = {
  window: Schema.Union([limit, Schema.Array(limit)]),
  count: Finite,
  money: Schema.String.annotate({ description: "A decimal.", examples: ["99.50"] }),
  duration: Fields.duration,
  range: Schema.Struct({ min: Finite, max: Finite, default: Finite }),
  durationRange: Schema.Struct({
    min: Fields.duration,
    max: Fields.duration,
    default: Fields.duration,
  }),
  cap: Schema.Struct({ max: Finite, default: Finite }),
} satisfies Record<LimitTable.Kind, Schema.Top>

type Kinds = typeof kinds

type FieldOf<R> = R extends {
  readonly kind: infer K extends LimitTable.Kind
  readonly canBeNone: infer None
}
  ? Schema.optional<None extends true ? Schema.NullOr<Kinds[K]> : Kinds[K]>
  : never

interface ToField extends Struct.Lambda {
  (row: LimitTable.Row): Schema.Top
  readonly "~lambda.out": FieldOf<this["~lambda.in"]>
}

/** Limits of an organization. `null` removes a limit. */
export const plainLimits = Fields.record(
  "Limits",
  "Limits. `undefined`: the default, which for an organization is the host's limit. `null`: no limit.",
  Struct.map(
    LimitTable.plainTable,
    Struct.lambda<ToField>(({ canBeNone, kind, meaning }) =>
      Fields.optional(canBeNone ? NullOr(kinds[kind]) : kinds[kind], meaning),
    ),
  ),
)

/** An organization's own limits. */
export const limits = plainLimits.pipe((plain) =>
  Fields.written(
    plain,
    (_value: unknown): _value is LimitOverrides.LimitOverrides => true,
    LimitOverrides.overridesOf,
    LimitOverrides.plainLimits,
  ),
)

/** The name of a limit. */
export const limitName = Fields.written(
  Schema.Literals(LimitTable.names),
  (_value: unknown): _value is LimitTable.LimitName => true,
  (name) => Result.succeed(LimitTable.coreName(name)),
  LimitTable.plainName,
).annotate({ named: "LimitName" })
