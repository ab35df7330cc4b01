/**
 * Validates the types of the input, because callers in JavaScript can pass values of any type. A value of the
 * wrong type fails with an `InvalidRequest` that names its field, and must not reach a row.
 */
import { InvalidRequest, OrganizationNotFound } from "../domain/errors/Errors.ts"
import * as Duration from "../domain/values/Duration.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import * as Fields from "../domain/values/FieldReaders.ts"
import { rejectionReasons, reportStatuses } from "../domain/messages/GatewayOutcome.ts"
import { OrganizationId } from "../domain/values/Ids.ts"
import { messageStatuses as statuses } from "../domain/messages/MessageStatus.ts"
import * as Money from "../domain/values/Money.ts"
import * as Payment from "../domain/verifications/Payment.ts"
import { verificationStates as states } from "../domain/verifications/VerificationState.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The organization of hosts with a single one. */
export const defaultOrganization = "default"

type Input<A> = Effect.Effect<A, InvalidRequest>

export const invalid = (field: string, problem: FieldProblem.FieldProblem): InvalidRequest =>
  new InvalidRequest({ details: { [field]: [problem] } })

/** Returns the value of a field. Fails with its problem if it could not be read. */
export const field = <A>(name: string, read: A | FieldProblem.FieldProblem): Input<A> =>
  FieldProblem.isFieldProblem(read) ? Effect.fail(invalid(name, read)) : Effect.succeed(read)

export const text = (name: string, value: unknown): Input<string> => field(name, Fields.text(value))

export const optionalText = Fields.optional(Fields.text)

export const optionalBoolean = Fields.optional(Fields.boolean)

/** The engine checks that the text is that of an object. */
export const metadata = Fields.optional(Fields.jsonText)

export const payment = Fields.optional(Payment.read)

export const evidence = Fields.optional(Fields.object)

export const optionalInteger = Fields.optional(Fields.integer)

export const reportStatus = Fields.oneOf(reportStatuses)

export const rejectionReason = Fields.optional(Fields.oneOf(rejectionReasons))

export const positiveInteger: Fields.Reader<number> = (value) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1
    ? value
    : FieldProblem.make("not_positive_integer", {})

export const id: Fields.Reader<string> = (value) =>
  value === "" ? FieldProblem.make("empty", {}) : Fields.text(value)

export const millis: Fields.Reader<number | undefined> = (value) => {
  if (value === undefined) return undefined
  return value instanceof Date && Number.isFinite(value.getTime())
    ? value.getTime()
    : FieldProblem.make("not_date", {})
}

/** The end of a period, which the services include. */
export const endMillis: Fields.Reader<number | undefined> = (value) => {
  const read = millis(value)
  return typeof read === "number" ? read - 1 : read
}

export const messageStatuses = Fields.optional(Fields.listOf(Fields.oneOf(statuses)))

export const verificationStates = Fields.optional(Fields.listOf(Fields.oneOf(states)))

/** The fields that both searches have. */
export const search = {
  phoneNumber: optionalText,
  from: millis,
  to: endMillis,
  cursor: optionalText,
  limit: optionalInteger,
}

/** An id that no organization can have fails like an unknown one. */
export const organizationId = (
  value: unknown,
  name = "organization",
): Effect.Effect<OrganizationId, InvalidRequest | OrganizationNotFound> =>
  Effect.flatMap(text(name, value), (known) =>
    Effect.try({ try: () => OrganizationId(known), catch: () => new OrganizationNotFound() }),
  )

export const organizationOf = ({
  organization = defaultOrganization,
}: {
  readonly organization?: string | undefined
}): Effect.Effect<OrganizationId, InvalidRequest | OrganizationNotFound> =>
  organizationId(organization)

export const decimal: Fields.Reader<Money.Money> = (value) => {
  const read = Fields.text(value)
  return FieldProblem.isFieldProblem(read) ? read : Result.merge(Money.fromDecimal(read))
}

export const money = (amount: unknown, name = "amount"): Input<Money.Money> =>
  field(name, decimal(amount))

/** The text of a duration. */
export const duration: Fields.Reader<Duration.Duration> = (value) =>
  Duration.is(value)
    ? value
    : Result.merge(Result.map(Duration.toMillis(value), () => FieldProblem.make("not_string", {})))

export const optionalDuration = Fields.optional(duration)
