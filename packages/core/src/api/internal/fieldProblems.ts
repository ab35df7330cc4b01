/** The problems of fields, and the rules of those that verifications have. */
import * as Result from "effect/Result"
import { InvalidRequest } from "../../domain/errors/Errors.ts"
import * as FieldProblem from "../../domain/values/FieldProblem.ts"
import * as Redacted from "effect/Redacted"
import type { Limits } from "../../domain/limits/Limits.ts"
import * as Duration from "../../domain/values/Duration.ts"
import * as Ids from "../../domain/values/Ids.ts"
import { isObject } from "../../domain/values/internal/checks.ts"
import { normalize } from "../../domain/verifications/CodeText.ts"
import * as Purpose from "../../domain/verifications/Purpose.ts"

/** The range of a `Date`. */
const timeRange = { min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }

/** Collects the problems of all fields, so that a caller receives all of them at once. */
export class FieldProblems {
  readonly #details: Record<string, Array<FieldProblem.FieldProblem>> = {}

  has(field: string): boolean {
    return Object.hasOwn(this.#details, field)
  }

  add(field: string, ...problems: ReadonlyArray<FieldProblem.FieldProblem>): void {
    if (problems.length === 0) return
    const known = (this.#details[field] ??= [])
    known.push(...problems)
  }

  /** Adds the problem with this code. */
  fail<C extends FieldProblem.Code>(field: string, code: C, params: FieldProblem.Params[C]): void
  fail(field: string, code: FieldProblem.Code, params: FieldProblem.Params[FieldProblem.Code]) {
    this.add(field, FieldProblem.make(code, params))
  }

  /** Returns the value of a field; `undefined` if the field has a problem instead, which is added. */
  value<A>(field: string, parsed: A | FieldProblem.FieldProblem): A | undefined {
    if (!FieldProblem.isFieldProblem(parsed)) return parsed
    this.add(field, parsed)
    return undefined
  }

  /** Applies a rule to the value of a field. Adds the problem of the field or of the rule. */
  parse<A, B>(
    field: string,
    parsed: A | FieldProblem.FieldProblem,
    rule: (value: A) => Result.Result<B, FieldProblem.FieldProblem>,
  ): B | undefined {
    const value = FieldProblem.isFieldProblem(parsed) ? Result.fail(parsed) : rule(parsed)
    if (Result.isSuccess(value)) return value.success
    this.add(field, value.failure)
    return undefined
  }

  printable(field: string, value: string, max: number): void {
    if (/^[^\p{C}]+$/u.test(value) && Array.from(value).length <= max) return
    this.fail(field, "not_printable", { min: 1, max })
  }

  integer(
    field: string,
    value: number,
    { max, min }: { readonly min: number; readonly max: number },
  ): void {
    if (!Number.isSafeInteger(value)) this.fail(field, "not_integer", {})
    else if (value < min || value > max) {
      this.fail(field, "out_of_range", { min, max })
    }
  }

  /** The bounds of a period. Each may be missing. */
  period({ from, to }: Partial<Record<"from" | "to", number | undefined>>): void {
    if (from !== undefined) this.integer("from", from, timeRange)
    if (to !== undefined) this.integer("to", to, timeRange)
    if (from !== undefined && to !== undefined && from > to) {
      this.fail("from", "after_to", {})
    }
  }

  get error(): InvalidRequest | undefined {
    return Object.keys(this.#details).length === 0
      ? undefined
      : new InvalidRequest({ details: this.#details })
  }
}

/** The value of a field, or its problem. */
type Checked<A> = Result.Result<A, FieldProblem.FieldProblem>

const maxCodeInput = 32
const maxClient = 128
const maxMetadataBytes = 1_024

/** The requested id. Text that cannot be an id becomes an id that nothing has: a database refuses some texts. */
export const idOf = (text: string): string => (Ids.sortablePattern.test(text) ? text : "none")

export const requestIdOf = (text: string): Ids.RequestId => Ids.RequestId(idOf(text))

/** The id that a caller has chosen for a new request. */
export const newRequestIdOf = (text: string | undefined): Checked<Ids.RequestId | undefined> => {
  if (text === undefined) return Result.succeed(undefined)
  return Ids.sortablePattern.test(text) && text.startsWith(Ids.requestIdPrefix)
    ? Result.succeed(Ids.RequestId(text))
    : Result.fail(FieldProblem.make("not_request_id", {}))
}

export const invalid = new InvalidRequest({ details: {} })

/** Any text that is not empty may be an id, even if no request has it. */
export const notEmpty = (text: string): Checked<string> =>
  text === "" ? Result.fail(FieldProblem.make("empty", {})) : Result.succeed(text)

export const required = Result.fail(FieldProblem.make("required", {}))

/** As `notEmpty`, for a field that may be missing. */
export const given = (text: string | undefined): Checked<string> =>
  text === undefined ? required : notEmpty(text)

export const purposeOf = (text: string | null | undefined): Checked<string | null | undefined> =>
  text === undefined || text === null || Purpose.isPurpose(text)
    ? Result.succeed(text)
    : Result.fail(FieldProblem.make("invalid_purpose", { max: Purpose.maxLength }))

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && !Array.isArray(value)
  } catch {
    return false
  }
}

export const metadataOf = (text: string | undefined): Checked<string | undefined> =>
  text === undefined ||
  (text.length <= maxMetadataBytes &&
    new TextEncoder().encode(text).length <= maxMetadataBytes &&
    isJsonObject(text))
    ? Result.succeed(text)
    : Result.fail(FieldProblem.make("invalid_metadata", { maxBytes: maxMetadataBytes }))

/** The host's name for the client. */
export const clientOf = (text: string | undefined): Checked<string | undefined> =>
  text === undefined || (text.length >= 1 && text.length <= maxClient)
    ? Result.succeed(text)
    : Result.fail(FieldProblem.make("length_out_of_range", { min: 1, max: maxClient }))

export const typed = (code: Redacted.Redacted<string>): Checked<Redacted.Redacted<string>> => {
  const text = Redacted.value(code)
  if (text.length < 1 || text.length > maxCodeInput) {
    return Result.fail(FieldProblem.make("length_out_of_range", { min: 1, max: maxCodeInput }))
  }
  const normalized = normalize(text)
  return Result.succeed(normalized === text ? code : Redacted.make(normalized, { label: "code" }))
}

/** Reads a lifetime as seconds. `undefined`: the default. */
export const secondsIn =
  (bounds: Limits["expirySeconds"]) =>
  (value: Duration.Duration | undefined): Checked<number> => {
    if (value === undefined) return Result.succeed(bounds.default)
    return Result.flatMap(Duration.toSeconds(value), (seconds) => {
      if (seconds >= bounds.min && seconds <= bounds.max) return Result.succeed(seconds)
      const [min, max] = [Duration.format(bounds.min * 1_000), Duration.format(bounds.max * 1_000)]
      return Result.fail(FieldProblem.make("duration_out_of_range", { min, max }))
    })
  }
