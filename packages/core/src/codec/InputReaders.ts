/**
 * Validates the types of the input, because callers in JavaScript can pass values of any type. A value of the
 * wrong type fails with an `InvalidRequest` that names its field, and must not reach a row.
 */
import { InvalidRequest, OrganizationNotFound } from "../domain/Errors.ts"
import * as FieldProblem from "../domain/FieldProblem.ts"
import * as Fields from "../domain/Fields.ts"
import { rejectionReasons, reportStatuses } from "../domain/GatewayOutcome.ts"
import { isOrganizationId, OrganizationId } from "../domain/Ids.ts"
import { messageStatuses as statuses } from "../domain/MessageStatus.ts"
import { kinds } from "../domain/Total.ts"
import * as Money from "../domain/Money.ts"
import * as Payment from "../domain/Payment.ts"
import type { Settings } from "../domain/Organization.ts"
import { verificationStates as states } from "../domain/VerificationState.ts"
import { rotationMillis } from "../services/Webhooks.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { overridesOf } from "./LimitsCodec.ts"
import type * as Types from "./Data.ts"
import type * as Codes from "./VerificationData.ts"
import type * as FraudData from "./FraudData.ts"
import type * as Totals from "./TotalsData.ts"

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

export const environment = Fields.oneOf<Types.CreatedApiKey["environment"]>(["live", "test"])

export const brandKind = Fields.oneOf<Types.Brand["kind"]>(["masking", "non-masking", "whatsapp"])

export const brandStatus = Fields.oneOf<NonNullable<Types.SaveBrand["status"]>>([
  "pending",
  "approved",
  "rejected",
])

const every = Fields.optional(
  Fields.oneOf<NonNullable<Totals.ReadTotals["every"]>>(["hour", "day"]),
)

const dimension = Fields.oneOf<NonNullable<Totals.ReadTotals["by"]>[number]>([
  "channel",
  "gateway",
  "country",
  "outcome",
])

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

export const messageStatuses = Fields.optional(Fields.listOf(Fields.oneOf(statuses)))

export const verificationStates = Fields.optional(Fields.listOf(Fields.oneOf(states)))

export const listPage = Effect.fnUntraced(function* ({ after, limit }: Types.ListPage) {
  return {
    after: yield* field("after", optionalText(after)),
    limit: yield* field("limit", optionalInteger(limit)),
  }
})

/** The fields that both searches have. */
export const search = (input: Omit<Codes.SearchVerifications, "statuses">) => ({
  phoneNumber: optionalText(input.phoneNumber),
  from: millis(input.from),
  to: millis(input.to),
  cursor: optionalText(input.cursor),
  limit: optionalInteger(input.limit),
})
export const date: Fields.Reader<number> = (value) =>
  millis(value) ?? FieldProblem.make("required", {})

/** An id that no organization can have fails like an unknown one. */
export const organizationId = (
  value: unknown,
  name = "organization",
): Effect.Effect<OrganizationId, InvalidRequest | OrganizationNotFound> =>
  Effect.flatMap(text(name, value), (known) =>
    Effect.try({ try: () => OrganizationId(known), catch: () => new OrganizationNotFound() }),
  )

/** The last organization of the page before. */
export const afterOrganization = (after: unknown): Input<OrganizationId | undefined> =>
  field(
    "after",
    after === undefined || isOrganizationId(after)
      ? after
      : FieldProblem.make("invalid_id", { min: 1, max: 64 }),
  )

export const organizationOf = ({
  organization = defaultOrganization,
}: Types.OfOrganization): Effect.Effect<OrganizationId, InvalidRequest | OrganizationNotFound> =>
  organizationId(organization)

export const money = (amount: unknown, name = "amount"): Input<Money.Money> =>
  Effect.flatMap(text(name, amount), (decimal) =>
    field(name, Result.merge(Money.fromDecimal(decimal))),
  )

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

export const settingsOf = Effect.fnUntraced(function* ({
  balanceLowAt,
  limits,
  ...lists
}: Types.OrganizationSettings): Effect.fn.Return<Partial<Settings>, InvalidRequest> {
  const { allowList, allowedPrefixes, blockedPrefixes } = lists
  const named = Object.entries({ allowList, allowedPrefixes, blockedPrefixes })
  for (const [name, list] of named) {
    if (list === undefined || isTexts(list)) continue
    return yield* invalid(name, FieldProblem.make("not_string_list", {}))
  }
  if (
    limits !== undefined &&
    (typeof limits !== "object" || limits === null || Array.isArray(limits))
  ) {
    return yield* invalid("limits", FieldProblem.make("not_object", {}))
  }
  return {
    ...(allowList !== undefined && { allowList }),
    ...(allowedPrefixes !== undefined && { allowedPrefixes }),
    ...(blockedPrefixes !== undefined && { blockedPrefixes }),
    ...(limits !== undefined && {
      limits: yield* field("limits", Result.merge(overridesOf(limits))),
    }),
    ...(balanceLowAt !== undefined && {
      balanceLowAt: balanceLowAt === null ? null : yield* money(balanceLowAt, "balanceLowAt"),
    }),
  }
})

/** A list whose items are read one by one. Its problem is that of the first item. */
const optionalList =
  <A>(read: Fields.Reader<A>): Fields.Reader<ReadonlyArray<A> | undefined> =>
  (value) => {
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return FieldProblem.make("not_string_list", {})
    const items = value.map(read)
    const problem = items.find((one) => FieldProblem.isFieldProblem(one))
    return problem ?? items.flatMap((one) => (FieldProblem.isFieldProblem(one) ? [] : [one]))
  }

export const totalsQuery = Effect.fnUntraced(function* (input: Totals.ReadTotals) {
  return {
    ...(yield* period(input)),
    every: yield* field("every", every(input.every)),
    by: yield* field("by", optionalList(dimension)(input.by)),
    kinds: yield* field("kinds", optionalList(Fields.oneOf(kinds))(input.kinds)),
  }
})

export const period = Effect.fnUntraced(function* (input: Totals.Period) {
  return {
    organization: yield* organizationOf(input),
    from: yield* field("from", date(input.from)),
    to: yield* field("to", date(input.to)),
  }
})

/** The problem of seconds is that of the field, whose bounds the engine has in milliseconds. */
export const graceSeconds: Fields.Reader<number | undefined> = (value) => {
  const read = optionalInteger(value)
  const max = rotationMillis.max / 1_000
  return typeof read === "number" && (read < 0 || read > max)
    ? FieldProblem.make("out_of_range", { min: 0, max })
    : read
}

const number: Fields.Reader<number> = (value) =>
  typeof value === "number" ? value : FieldProblem.make("out_of_range", { min: 0, max: 1 })

const fraudAction = Fields.optional(Fields.oneOf<"record" | "deny">(["record", "deny"]))

export const fraudTrial = Effect.fnUntraced(function* (input: FraudData.TryFraudRules) {
  const given = yield* field("rules", Fields.object(input.rules))
  const integer = (name: string) => field(name, optionalInteger(given[name]))
  return {
    organization: yield* organizationOf(input),
    from: yield* field("from", millis(input.from)),
    to: yield* field("to", millis(input.to)),
    rules: {
      prefixDigits: yield* integer("prefixDigits"),
      windowSeconds: yield* integer("windowSeconds"),
      maxSent: yield* integer("maxSent"),
      minSent: yield* integer("minSent"),
      minConversion: yield* field("minConversion", Fields.optional(number)(given["minConversion"])),
      action: yield* field("action", fraudAction(given["action"])),
    },
  }
})
