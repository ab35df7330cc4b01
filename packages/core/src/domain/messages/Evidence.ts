/**
 * The evidence of a delivery report: the documented fields that an adapter names. Nothing else is kept.
 *
 * A value is kept if it is a word, a number of at most six digits, an id or a time. Texts and phone numbers have none
 * of these formats, even in a documented field. `Redaction` removes codes.
 */
import * as Masking from "../values/Masking.ts"

/** Fields by name. The values may have any type, because they come from a vendor. */
export type Evidence = Readonly<Record<string, unknown>>

/** Maximum number of fields that are kept. */
export const maxFields = 16

/** Without digits in a row that may be a code or a phone number. */
const name = /^(?!.*\d{4})[A-Za-z][\w. [\]-]{0,39}$/

/** Prices, counts and the codes of errors and networks. */
const number = /^-?\d{1,6}(?:\.\d{1,8})?$/
const time =
  /^20\d{2}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const digest = /^[A-Za-z]{0,2}[0-9a-f]{32}$/
/** A word or an id. It has a letter, and no digits in a row that may be a code. */
const token = /^(?=.*[A-Za-z])(?!.*\d{4})[\w.:=+/-]{1,120}$/

/** A time or a random id, which contains no code. */
const isOpaque = (text: string): boolean => time.test(text) || uuid.test(text) || digest.test(text)

const isKept = (text: string): boolean =>
  number.test(text) || isOpaque(text) || (token.test(text) && Masking.words(text) === text)

/** The fields that may be stored, as JSON; `null` without such fields. */
export const text = (evidence: Evidence | undefined): string | null => {
  const kept = Object.entries(evidence ?? {}).flatMap(([field, value]) => {
    const written =
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? String(value)
        : ""
    return name.test(field) && isKept(written) ? [[field, written] as const] : []
  })
  return kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept.slice(0, maxFields)))
}

const fieldsOf = (stored: string | null): ReadonlyArray<readonly [string, string]> => {
  const fields: Readonly<Record<string, string>> = JSON.parse(stored ?? "{}")
  return Object.entries(fields)
}

/** The values in the stored form that are neither times nor random ids. */
export const wordsIn = (stored: string | null): ReadonlyArray<string> =>
  fieldsOf(stored).flatMap(([, value]) => (isOpaque(value) ? [] : [value]))

/** The stored form with each value as `redact` returns it. Times and random ids stay as they are. */
export const redacted = (
  stored: string | null,
  redact: (value: string) => string,
): string | null => {
  if (stored === null) return null
  const values = fieldsOf(stored).map(
    ([field, value]) => [field, isOpaque(value) ? value : redact(value)] as const,
  )
  return JSON.stringify(Object.fromEntries(values))
}
