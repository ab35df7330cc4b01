export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns `{}` if the value is not an object. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** Returns `undefined` if the text is not JSON. JSON has no such value. */
export const parse = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

export const isText = (value: unknown): value is string => typeof value === "string"

/** Excludes infinity, which `1e999` is parsed as. JSON has no other numbers that are not finite. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value)

export const isCount = (value: unknown): value is number =>
  isNumber(value) && Number.isSafeInteger(value) && value >= 0

/** Returns `undefined` if the value is not a string that names an instant. */
export const instantOf = (value: unknown): Date | undefined => {
  if (!isText(value)) return undefined
  const instant = new Date(value)
  return Number.isNaN(instant.getTime()) ? undefined : instant
}
