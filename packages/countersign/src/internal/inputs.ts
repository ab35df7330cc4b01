/**
 * Validates the types of the input, because callers in JavaScript can pass values of any type. A value of the
 * wrong type fails with an `InvalidRequest` that names its field, and must not reach a row.
 */
import { InvalidRequest, OrganizationNotFound } from "@countersign/core/domain/Errors"
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
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

export const text = (field: string, value: unknown): Input<string> =>
  typeof value === "string"
    ? Effect.succeed(value)
    : Effect.fail(invalid(field, FieldProblem.make("not_string", {})))

export const optionalText = (field: string, value: unknown): Input<string | undefined> =>
  value === undefined ? Effect.undefined : text(field, value)

export const optionalBoolean = (field: string, value: unknown): Input<boolean | undefined> =>
  value === undefined || typeof value === "boolean"
    ? Effect.succeed(value)
    : Effect.fail(invalid(field, FieldProblem.make("not_boolean", {})))

export const optionalInteger = (field: string, value: unknown): Input<number | undefined> =>
  value === undefined || (typeof value === "number" && Number.isSafeInteger(value))
    ? Effect.succeed(value)
    : Effect.fail(invalid(field, FieldProblem.make("not_integer", {})))

export const oneOf = <A extends string>(
  field: string,
  values: ReadonlyArray<A>,
  value: unknown,
): Input<A> => {
  const found = values.find((one) => one === value)
  return found === undefined
    ? Effect.fail(invalid(field, FieldProblem.make("unknown_option", { options: values })))
    : Effect.succeed(found)
}

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
