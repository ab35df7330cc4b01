/** Reads JSON of vendors. */
import type { Evidence } from "@countersign/core/domain/messages/Evidence"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Parses JSON; `undefined` for other text. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Makes a function that decodes a value. It returns `undefined` for a value of another shape. */
export const decoder = <A>(schema: Schema.Decoder<A>): ((value: unknown) => A | undefined) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (value) => Option.getOrUndefined(decode(value))
}

/** Like `decoder`, for JSON text. */
export const jsonDecoder = <A>(schema: Schema.Decoder<A>) => decoder(Schema.fromJsonString(schema))

/** A path: `data.items[0].status`. */
const form = /^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,6}\])*$/

/** Whether a text is a path. */
export const isPath = (text: string): boolean => form.test(text)

/** Returns the value at a path of a JSON value; `undefined` if the path has no value. */
export const at = (value: unknown, path: string): unknown =>
  path.split(/\.|\[(\d+)\]/).reduce<unknown>((inner, key) => {
    if (key === undefined || key === "") return inner
    return typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
      ? Reflect.get(inner, key)
      : undefined
  }, value)

/** The values at paths of a JSON value, such as `errors[0].code`. */
export const fieldsAt = (json: unknown, paths: ReadonlyArray<string>): Evidence =>
  Object.fromEntries(paths.map((path) => [path, at(json, path)]))
