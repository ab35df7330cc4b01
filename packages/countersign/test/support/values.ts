import { assert } from "vitest"
import { CountersignError } from "../../src/index.ts"

let numbers = 0

/** A number that no other test has. */
export const phone = (): string => {
  numbers += 1
  return `+88017${String(10_000_000 + numbers)}`
}

/** What a promise rejects with, which has to be one of the documented errors. */
export const failure = (promise: Promise<unknown>): Promise<CountersignError> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => {
      if (error instanceof CountersignError) return error
      throw error
    },
  )

const isAnything = <A>(_: unknown): _ is A => true

/** A value as JavaScript passes it: the compiler accepts it as the requested type. */
export const untyped = <A>(value: unknown): A => {
  if (isAnything<A>(value)) return value
  throw new TypeError("unreachable")
}
