import { type Details, InvalidRequest } from "../../domain/Errors.ts"
import * as FieldProblem from "../../domain/FieldProblem.ts"

/** Collects the problems of all fields, so that a caller receives all of them at once. */
export class FieldProblems {
  readonly #unreadable: Details
  readonly #details: Record<string, Array<FieldProblem.FieldProblem>> = {}

  /** An unreadable field already has its problems; no further problems are added to it. */
  constructor(unreadable: Details = {}) {
    this.#unreadable = unreadable
  }

  add(field: string, ...problems: ReadonlyArray<FieldProblem.FieldProblem>): void {
    if (problems.length === 0 || Object.hasOwn(this.#unreadable, field)) return
    const known = (this.#details[field] ??= [])
    known.push(...problems)
  }

  /** Requires 1 to `max` printable characters. */
  printable(field: string, value: string, max: number): void {
    if (/^[^\p{C}]+$/u.test(value) && Array.from(value).length <= max) return
    this.add(field, FieldProblem.make("not_printable", { min: 1, max }))
  }

  /** Requires an integer within bounds. */
  integer(
    field: string,
    value: number,
    { max, min }: { readonly min: number; readonly max: number },
  ): void {
    if (!Number.isSafeInteger(value)) this.add(field, FieldProblem.make("not_integer", {}))
    else if (value < min || value > max) {
      this.add(field, FieldProblem.make("out_of_range", { min, max }))
    }
  }

  /** The error, if there is any problem. */
  get error(): InvalidRequest | undefined {
    const details = { ...this.#unreadable, ...this.#details }
    return Object.keys(details).length === 0 ? undefined : new InvalidRequest({ details })
  }
}
