/**
 * Looks into JSON that may be anything.
 */
export type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `{}` for what is no object: none of its members is there. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** `undefined` for what cannot be read, which JSON has no way to say. */
export const parse = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

export const isText = (value: unknown): value is string => typeof value === "string"

export const isTextOrNull = (value: unknown): value is string | null =>
  value === null || isText(value)

/** JSON has no others, but `1e999` reads as infinity. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value)

export const isCount = (value: unknown): value is number =>
  isNumber(value) && Number.isSafeInteger(value) && value >= 0

export const isOneOf =
  <const A extends string>(choices: ReadonlyArray<A>) =>
  (value: unknown): value is A =>
    choices.some((choice) => choice === value)

/** `undefined` where it is no text that names an instant. */
export const instantOf = (value: unknown): Date | undefined => {
  if (!isText(value)) return undefined
  const instant = new Date(value)
  return Number.isNaN(instant.getTime()) ? undefined : instant
}
