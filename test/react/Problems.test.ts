/** The texts of `@countersign/react` follow from the errors that a login answers with. */
import { verifications } from "@countersign/core/api/verifications"
import { type AnyCode, rowOf } from "@countersign/core/domain/errors/ErrorRows"
import { bangla, english } from "@countersign/react"
import { assert, test } from "vitest"

const { cancel, resend, send, verify } = verifications

/** The login passes no idempotency key. */
const isPossible = (code: string): boolean => !code.startsWith("idempotency_")

/** What the endpoint adds to the check of a code. */
const ofCheck: AnyCode = "number_changed"

const codes: ReadonlyArray<string> = [
  ...send.errors,
  ...resend.errors,
  ...verify.errors,
  ...cancel.errors,
]
  .filter((code) => rowOf(code).isForOperators !== true)
  .filter(isPossible)

test("each refusal that a user can meet has a sentence of its own, and no other code has one", () => {
  const expected = [...new Set([...codes, ofCheck, "network"])].toSorted()
  assert.deepStrictEqual(Object.keys(english.problems).toSorted(), expected)
  assert.deepStrictEqual(Object.keys(bangla.problems).toSorted(), expected)
})
