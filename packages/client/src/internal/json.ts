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

export const isTextOrNull = (value: unknown): value is string | null =>
  value === null || isText(value)

/** Excludes infinity, which `1e999` is parsed as. JSON has no other numbers that are not finite. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value)

export const isCount = (value: unknown): value is number =>
  isNumber(value) && Number.isSafeInteger(value) && value >= 0

export const isOneOf =
  <const A extends string>(choices: ReadonlyArray<A>) =>
  (value: unknown): value is A =>
    choices.some((choice) => choice === value)

/** As `instantOf`, for a member that may be `null`. */
export const instantOrNull = (value: unknown): Date | null | undefined =>
  value === null ? null : instantOf(value)

/** Returns `undefined` if the value is not a string that names an instant. */
export const instantOf = (value: unknown): Date | undefined => {
  if (!isText(value)) return undefined
  const instant = new Date(value)
  return Number.isNaN(instant.getTime()) ? undefined : instant
}

/** Reads the items of a list. Returns `undefined` if the value is no list or if an item cannot be read. */
export const listOf = <A>(
  value: unknown,
  read: (item: unknown) => A | undefined,
): ReadonlyArray<A> | undefined => {
  const items = Array.isArray(value) ? value.map(read) : [undefined]
  return items.every((item) => item !== undefined) ? items : undefined
}
