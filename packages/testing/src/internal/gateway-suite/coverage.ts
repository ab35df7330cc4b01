/**
 * Checks that the suite has an example answer for each kind of outcome.
 */
import type { AnswerClass, Expected, Options } from "./subject.ts"

const classes: ReadonlyArray<AnswerClass> = [
  "recipient",
  "content",
  "sender",
  "account",
  "throttled",
  "unknown",
]

const classOf = ({ _tag, reason }: Expected): AnswerClass | undefined => {
  if (_tag === "Rejected") return reason
  if (_tag === "Throttled") return "throttled"
  return _tag === "Unknown" ? "unknown" : undefined
}

/** Returns one sentence per class that has no row, or that has one although it is listed as undocumented. */
export const coverageProblems = ({
  accepted,
  answers,
  undocumented = [],
}: Pick<Options, "accepted" | "answers" | "undocumented">): ReadonlyArray<string> => {
  const shown = new Set(answers.map(({ expected }) => classOf(expected)))
  const { _tag } = accepted.expected
  return [
    ...(_tag === "Accepted" || _tag === "Delivered"
      ? []
      : ["the answer of a message that is taken is not taken"]),
    ...classes.flatMap((one) => {
      if (undocumented.includes(one)) {
        return shown.has(one) ? [`an answer means ${one}, which is said to be undocumented`] : []
      }
      return shown.has(one) ? [] : [`no answer means ${one}: give one, or call it undocumented`]
    }),
  ]
}
