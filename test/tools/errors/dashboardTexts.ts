/** The English texts of the dashboard about errors. */
import { engineErrors, all, quoted, type ErrorEntry } from "./rows.ts"

/** The errors of other layers that the admin API answers with. */
const others = ["body_too_large", "not_found"]

/** The status says as much, and has a text of its own. */
const statuses = [401, 403, 503]

/** The pages send no idempotency key. */
const ofKeys = ["idempotency_in_flight", "idempotency_mismatch"]

const shown = [...engineErrors, ...all.filter(({ code }) => others.includes(code))].filter(
  ({ code, status }) => !statuses.includes(status) && !ofKeys.includes(code),
)

const keyOf = (code: string, variant: string | undefined): string =>
  quoted(variant === undefined ? code : `${code}/${variant}`)

/** The key and the text of an error, or of each of its reasons. */
const textsOf = (
  code: string,
  texts: string | Readonly<Record<string, string>>,
): ReadonlyArray<readonly [key: string, text: string]> =>
  typeof texts === "string"
    ? [[keyOf(code, undefined), texts]]
    : Object.entries(texts).map(([variant, text]) => [keyOf(code, variant), text])

const sentencesOf = ({ code, more, sentence }: ErrorEntry): ReadonlyArray<string> =>
  textsOf(code, sentence).map(
    ([key, text]) =>
      `${key}: ${quoted(typeof more === "string" ? `${text}${more}.` : `${text}.`)},`,
  )

const labelsOf = ({ code, label, labels }: ErrorEntry): ReadonlyArray<string> =>
  label === undefined
    ? []
    : [...textsOf(code, label), ...textsOf(code, labels ?? {})].map(
        ([key, text]) => `${key}: ${quoted(text)},`,
      )

export const dashboardTexts = (): string => `
export const errors = {
  /** The sentence of an error, by its code, or by its code and its reason or status. */
  refusal: {
${shown.flatMap(sentencesOf).join("\n")}
  },
  /** Why a call was refused, in a few words. */
  refusedCode: {
${engineErrors.flatMap(labelsOf).join("\n")}
  },
}
`
