import { InvalidRequest } from "../Errors.ts"

/** Collects what is wrong with each field, so that a caller is told everything at once. */
export class FieldProblems {
  readonly #details: Record<string, Array<string>> = {}

  add(field: string, problem: string): void {
    const known = this.#details[field]
    if (known === undefined) this.#details[field] = [problem]
    else known.push(problem)
  }

  /** Demands a whole number within bounds. */
  integer(field: string, value: number, bounds: { readonly min: number; readonly max: number }): void {
    if (!Number.isSafeInteger(value)) this.add(field, "must be an integer")
    else if (value < bounds.min || value > bounds.max) {
      this.add(field, `must be between ${bounds.min} and ${bounds.max}`)
    }
  }

  /** The error, if there is any problem. */
  get error(): InvalidRequest | undefined {
    return Object.keys(this.#details).length === 0
      ? undefined
      : new InvalidRequest({ details: this.#details })
  }
}
