/** Errors, in the reader's words where the service's own say less. */
import { ApiError, type Problems } from "../api/client.ts"
import type { Dictionary } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { problemText, refusalText, type Words } from "./refusals.ts"

const sentences = (t: Dictionary): Readonly<Record<number, string>> => ({
  0: t.state.offline,
  401: t.state.signedOut,
  403: t.state.forbidden,
  429: t.state.tooMany,
  500: t.state.unexpected,
  503: t.state.unavailable,
})

/** A sentence about an error. */
export const sentenceOf = (error: Error, words: Words): string => {
  const { t } = words
  if (!(error instanceof ApiError)) return t.state.unexpected
  return (
    refusalText(error, words) ??
    sentences(t)[error.status] ??
    (error.message === "" ? t.state.unexpected : error.message)
  )
}

const problemsOf = (error: Error | null): Problems =>
  error instanceof ApiError ? error.problems : {}

/** Whether the service has named the fields that are wrong. */
export const hasProblems = (error: Error | null): boolean =>
  Object.keys(problemsOf(error)).length > 0

/** The problems that belong to fields; each is shown at its own. */
export const fieldErrors = (error: Error | null, words: Words): Record<string, Array<string>> =>
  Object.fromEntries(
    Object.entries(problemsOf(error)).map(([name, problems]) => [
      name,
      problems.map((problem) => problemText(problem, words)),
    ]),
  )

/** Whether all that is wrong with a request is shown at fields of these names. */
export const isShownAt = (fields: ReadonlyArray<string>, error: Error | null): boolean => {
  const refused = Object.keys(problemsOf(error))
  return refused.length > 0 && refused.every((name) => fields.includes(name))
}

interface Props {
  readonly error: Error | null
  /** Fields of the form, which show their own problems. */
  readonly fields?: ReadonlyArray<string>
}

export const Problem = ({ error, fields = [] }: Props) => {
  const words = useI18n()
  if (error === null || isShownAt(fields, error)) return null
  const rest = Object.entries(fieldErrors(error, words)).filter(([name]) => !fields.includes(name))
  return (
    <div className="problem" role="alert">
      <p>{sentenceOf(error, words)}</p>
      {rest.length > 0 && (
        <ul>
          {rest.map(([name, problems]) => (
            <li key={name}>
              <code>{name}</code>: {problems.join(" ")}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
