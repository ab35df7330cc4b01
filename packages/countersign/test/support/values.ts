import { assert } from "vitest"
import { CountersignError, type DevelopmentGateway } from "../../src/index.ts"

let numbers = 0

/** A number that no other test has. */
export const phone = (): string => {
  numbers += 1
  return `+88017${String(10_000_000 + numbers)}`
}

/** The code in the last message to a number. */
export const codeIn = (gateway: DevelopmentGateway, number: string): string => {
  const [, code] = gateway.messages(number)[0]?.text.match(/(\d{4,})/) ?? []
  return code ?? assert.fail("no code was sent")
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
