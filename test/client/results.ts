/**
 * What a call of the client has come to.
 */
import type { Result } from "@countersign/client"
import { assert } from "vitest"

export const dataOf = <A, E>(result: Result<A, E>): A => {
  assert(result.ok, JSON.stringify(result))
  return result.data
}

interface Failure {
  readonly code: string
  readonly message: string
}

/** What went wrong, without the sentence, which has to be there. */
export const errorOf = <A, E extends Failure>(result: Result<A, E>): object => {
  assert(!result.ok, JSON.stringify(result))
  const { message, ...error } = result.error
  assert.notStrictEqual(message, "")
  return error
}
