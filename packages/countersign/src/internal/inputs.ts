/**
 * Validates the types of the input, because callers in JavaScript can pass values of any type. A value of the
 * wrong type fails with an `InvalidRequest` that names its field, and must not reach a row.
 */
import { InvalidRequest, OrganizationNotFound } from "@countersign/core/domain/Errors"
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import * as Fields from "@countersign/core/domain/Fields"
import { OrganizationId } from "@countersign/core/domain/Ids"
import * as Money from "@countersign/core/domain/Money"
import type { Settings } from "@countersign/core/domain/Organization"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { overridesOf } from "./limits.ts"
import type * as Types from "./types.ts"

/** The organization of hosts with a single one. */
export const defaultOrganization = "default"

export const environments: ReadonlyArray<Types.ApiKey["environment"]> = ["live", "test"]

export const brandKinds: ReadonlyArray<Types.Brand["kind"]> = ["masking", "non-masking", "whatsapp"]

export const brandStatuses: ReadonlyArray<Types.Brand["status"]> = [
  "pending",
  "approved",
  "rejected",
]

type Input<A> = Effect.Effect<A, InvalidRequest>

export const invalid = (field: string, problem: FieldProblem.FieldProblem): InvalidRequest =>
  new InvalidRequest({ details: { [field]: [problem] } })

/** Fails with the problem of a field that cannot be read. */
const reading =
  <A>(read: Fields.Reader<A>) =>
  (field: string, value: unknown): Input<A> => {
    const found = read(value)
    return FieldProblem.isFieldProblem(found)
      ? Effect.fail(invalid(field, found))
      : Effect.succeed(found)
  }

export const text = reading(Fields.text)

export const optionalText = reading(Fields.optional(Fields.text))

export const optionalBoolean = reading(Fields.optional(Fields.boolean))

export const integer = reading(Fields.integer)

export const optionalInteger = reading(Fields.optional(Fields.integer))

export const oneOf = <A extends string>(
  field: string,
  values: ReadonlyArray<A>,
  value: unknown,
): Input<A> => reading(Fields.oneOf(values))(field, value)

export const optionalOneOf = <A extends string>(
  field: string,
  values: ReadonlyArray<A>,
  value: unknown,
): Input<A | undefined> => reading(Fields.optional(Fields.oneOf(values)))(field, value)

export const organizationOf = ({
  organization = defaultOrganization,
}: Types.OfOrganization): Effect.Effect<OrganizationId, InvalidRequest | OrganizationNotFound> =>
  Effect.flatMap(text("organization", organization), (id) =>
    // An id that no organization can have fails like an unknown one.
    Effect.try({ try: () => OrganizationId(id), catch: () => new OrganizationNotFound() }),
  )

export const millis = (field: string, value: Date | undefined): Input<number | undefined> => {
  if (value === undefined) return Effect.succeed(undefined)
  return value instanceof Date && Number.isFinite(value.getTime())
    ? Effect.succeed(value.getTime())
    : Effect.fail(invalid(field, FieldProblem.make("not_date", {})))
}

export const money = (amount: unknown): Input<Money.Money> =>
  Effect.flatMap(text("amount", amount), (decimal) =>
    Result.match(Money.fromDecimal(decimal), {
      onFailure: (problem) => Effect.fail(invalid("amount", problem)),
      onSuccess: (value) => Effect.succeed(value),
    }),
  )

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

export const settingsOf = ({
  allowList,
  limits,
}: Types.OrganizationSettings): Input<Partial<Settings>> => {
  if (allowList !== undefined && !isTexts(allowList)) {
    return Effect.fail(invalid("allowList", FieldProblem.make("not_string_list", {})))
  }
  const named = allowList === undefined ? {} : { allowList }
  if (limits === undefined) return Effect.succeed(named)
  if (typeof limits !== "object" || limits === null || Array.isArray(limits)) {
    return Effect.fail(invalid("limits", FieldProblem.make("not_object", {})))
  }
  return Result.match(overridesOf(limits), {
    onFailure: (problem) => Effect.fail(invalid("limits", problem)),
    onSuccess: (overrides) => Effect.succeed({ ...named, limits: overrides }),
  })
}
