import { type Details, InvalidRequest } from "../Errors.ts"

/** Collects what is wrong with each field, so that a caller is told everything at once. */
export class FieldProblems {
  readonly #unreadable: Details
  readonly #details: Record<string, Array<string>> = {}

  /** A field that could not be read has its sentences already: no rule adds to them. */
  constructor(unreadable: Details = {}) {
    this.#unreadable = unreadable
  }

  add(field: string, problem: string): void {
    if (Object.hasOwn(this.#unreadable, field)) return
    const known = this.#details[field]
    if (known === undefined) this.#details[field] = [problem]
    else known.push(problem)
  }

  /** Demands a whole number within bounds. */
  integer(
    field: string,
    value: number,
    bounds: { readonly min: number; readonly max: number },
  ): void {
    if (!Number.isSafeInteger(value)) this.add(field, "must be an integer")
    else if (value < bounds.min || value > bounds.max) {
      this.add(field, `must be between ${bounds.min} and ${bounds.max}`)
    }
  }

  /** The error, if there is any problem. */
  get error(): InvalidRequest | undefined {
    const details = { ...this.#unreadable, ...this.#details }
    return Object.keys(details).length === 0 ? undefined : new InvalidRequest({ details })
  }
}
