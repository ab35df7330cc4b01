/**
 * What is printed when the quickstart cannot start or go on: one line for what
 * the person in front of it can put right, everything there is for a bug.
 */
import * as Cause from "effect/Cause"
import * as Result from "effect/Result"

/** Failures that say nothing for themselves. */
const sentences: Readonly<Record<string, string>> = {
  StoreUnavailable: "The database did not answer in time.",
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, " ")

export const explain = (
  cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>,
): string => {
  const failure = Cause.findError(cause)
  if (Result.isFailure(failure)) return `The quickstart has a bug. ${Cause.pretty(cause)}`
  const { _tag, message } = failure.success
  return `The quickstart cannot run: ${oneLine(sentences[_tag] ?? message)}`
}
