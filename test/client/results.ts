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
  readonly type: string
  readonly code: string | undefined
  readonly message: string
}

/** What went wrong, without the sentence and the code, which have to be there. */
export const errorOf = <A, E extends Failure>(result: Result<A, E>): object => {
  assert(!result.ok, JSON.stringify(result))
  const { code, message, ...error } = result.error
  assert.notStrictEqual(message, "")
  const codes =
    error.type === "not_sendable" ? ["not_on_whatsapp", "sender_unusable"] : [error.type]
  assert.include(codes, code)
  return error
}
