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

  add(field: string, problem: FieldProblem.FieldProblem): void {
    if (Object.hasOwn(this.#unreadable, field)) return
    const known = this.#details[field]
    if (known === undefined) this.#details[field] = [problem]
    else known.push(problem)
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
