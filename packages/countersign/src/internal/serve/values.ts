/** Values of JSON that stand elsewhere: `{ "env": "NAME" }` and `{ "file": "/run/secrets/name" }`. */
import * as Predicate from "effect/Predicate"
import { readFileSync } from "node:fs"
import { refuse } from "../options/check.ts"
import type { Environment } from "./environment.ts"

/** The text of a file, without the line break at its end. `name`: what asks for it. */
export const readText = (name: string, file: string): string => {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "")
  } catch (error) {
    const why = error instanceof Error && "code" in error ? error.code : error
    return refuse(`${name}: the file ${file} cannot be read (${String(why)})`)
  }
}

/** The member of an object that has no other. */
const onlyMember = (value: object, name: string): string | undefined => {
  const [member, ...others] = Object.entries(value)
  if (member?.[0] !== name || others.length > 0 || typeof member[1] !== "string") return undefined
  return member[1]
}

/** The text of a variable, or of the file that `NAME_FILE` names. */
const textOf = (environment: Environment, name: string, place: string): string => {
  const text = environment[name] ?? ""
  if (text !== "") return text
  const file = environment[`${name}_FILE`] ?? ""
  return file === "" ? refuse(`${place}: the variable ${name} is not set`) : readText(place, file)
}

/**
 * Replaces each object that names a variable or a file by its text. Only lists and plain objects are searched, so
 * values of code stay as they are.
 */
export const resolved =
  (environment: Environment) =>
  (value: unknown, path: string): unknown => {
    const inside = (inner: unknown, place: string): unknown => {
      if (Array.isArray(inner)) return inner.map((one, index) => inside(one, `${place}.${index}`))
      if (!isPlain(inner)) return inner
      const variable = onlyMember(inner, "env")
      if (variable !== undefined) return textOf(environment, variable, place)
      const file = onlyMember(inner, "file")
      if (file !== undefined) return readText(place, file)
      return Object.fromEntries(
        Object.entries(inner).map(([name, member]) => [
          name,
          inside(member, place === "" ? name : `${place}.${name}`),
        ]),
      )
    }
    return inside(value, path)
  }

const isPlain = (value: unknown): value is object =>
  Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype
