/**
 * Validates the types of the input, because callers in JavaScript can pass values of any type. A value of the
 * wrong type fails with an `InvalidRequest` that names its field, and must not reach a row.
 */
import { InvalidRequest } from "@countersign/core/domain/errors/Errors"
import * as Duration from "@countersign/core/domain/values/Duration"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import { rejectionReasons, reportStatuses } from "@countersign/core/domain/messages/GatewayOutcome"
import { messageStatuses as statuses } from "@countersign/core/domain/messages/MessageStatus"
import * as Payment from "@countersign/core/domain/verifications/Payment"
import { verificationStates as states } from "@countersign/core/domain/verifications/VerificationState"
import * as Result from "effect/Result"

export { field, organizationOf } from "@countersign/core/api/Input"

export const invalid = (field: string, problem: FieldProblem.FieldProblem): InvalidRequest =>
  new InvalidRequest({ details: { [field]: [problem] } })

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

/** The text of a duration. */
export const duration: Fields.Reader<Duration.Duration> = (value) =>
  Duration.is(value)
    ? value
    : Result.merge(Result.map(Duration.toMillis(value), () => FieldProblem.make("not_string", {})))

export const optionalDuration = Fields.optional(duration)
