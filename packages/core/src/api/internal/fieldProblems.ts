import * as Result from "effect/Result"
import { InvalidRequest } from "../../domain/errors/Errors.ts"
import * as FieldProblem from "../../domain/values/FieldProblem.ts"

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
