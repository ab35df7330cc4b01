/** Parses JSON, and reads objects of responses by tables. A reader returns `undefined` for a value of another form. */

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

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
export const instant = (value: unknown): Date | undefined => {
  if (!isText(value)) return undefined
  const instant = new Date(value)
  return Number.isNaN(instant.getTime()) ? undefined : instant
}

type Read<A> = (value: unknown) => A | undefined

/**
 * The readers of an object's members, by their names in this client. The name on the wire is the same in snake case, or
 * it is stated.
 */
type Table = Readonly<Record<string, Read<unknown> | readonly [name: string, read: Read<unknown>]>>

type ValueOf<R> = R extends readonly [string, infer Own]
  ? ValueOf<Own>
  : R extends Read<infer A>
    ? A
    : never

type RecordOf<T extends Table> = { readonly [K in keyof T]: Exclude<ValueOf<T[K]>, undefined> }

const when =
  <A>(is: (value: unknown) => value is A): Read<A> =>
  (value) =>
    is(value) ? value : undefined

export const text = when(isText)

export const number = when(isNumber)

export const count = when(isCount)

export const object = when(isObject)

export const oneOf =
  <const A extends string>(...choices: ReadonlyArray<A>): Read<A> =>
  (value) =>
    choices.find((choice) => choice === value)

export const orNull =
  <A>(read: Read<A>): Read<A | null> =>
  (value) =>
    value === null ? null : read(value)

export const listOf =
  <A>(read: Read<A>): Read<ReadonlyArray<A>> =>
  (value) => {
    const items = Array.isArray(value) ? value.map(read) : [undefined]
    return items.every((item) => item !== undefined) ? items : undefined
  }

const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Reads an object, if all of its members are read. */
export function record<const T extends Table>(table: T): Read<RecordOf<T>>
export function record(table: Table): Read<unknown> {
  return (value) => {
    const given = objectOf(value)
    const members = Object.entries(table).map(([name, own]) => {
      const [wire, read] = typeof own === "function" ? [snakeCase(name), own] : own
      return [name, read(given[wire])] as const
    })
    return members.every(([, member]) => member !== undefined)
      ? Object.fromEntries(members)
      : undefined
  }
}
