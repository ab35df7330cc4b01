/** Reads the settings of `countersign serve` from environment variables, and secrets from files. */
import * as FieldNames from "@countersign/core/domain/values/FieldNames"
import * as Record from "effect/Record"
import * as RecordOptions from "@countersign/core/domain/organizations/RecordOptions"
import { refuse } from "../options/check.ts"
import { check, isTuple, type Shape } from "../options/shape.ts"
import { readText } from "./values.ts"
import { otherVariables, prefix, recordsOffVariable, type Setting, settings } from "./variables.ts"

/** The variables of a process, by their names. */
export type Environment = Readonly<Record<string, string | undefined>>

const known: ReadonlyArray<string> = [
  ...settings.map(({ variable }) => variable),
  ...otherVariables,
]

const ending = "_FILE"

/**
 * The environment with the contents of files: `NAME_FILE` is the path of the file that has the value of `NAME`.
 * Omits variables that are empty. Throws `ConfigurationError` for a file that cannot be read, and for a
 * variable that is given twice.
 */
export const withFiles = (environment: Environment): Environment => {
  const given = Object.entries(environment).filter(([, value]) => (value ?? "") !== "")
  const found = new Map(given)
  for (const name of known) {
    const file = found.get(`${name}${ending}`)
    if (file === undefined) continue
    if (found.has(name)) refuse(`${name} and ${name}${ending} are both set; set one of them`)
    found.delete(`${name}${ending}`)
    found.set(name, readText(`${name}${ending}`, file))
  }
  return Object.fromEntries(found)
}

const refuseUnknown = (environment: Environment): void => {
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(prefix) || known.includes(name)) continue
    const own = name.endsWith(ending) ? name.slice(0, -ending.length) : name
    const meant = FieldNames.nearest(own, known)
    refuse(`${name} is not a setting${meant === undefined ? "" : `; did you mean ${meant}?`}`)
  }
}

const json = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The error of the parser quotes the text, which may have a secret.
    return refuse(`${name} must be JSON`)
  }
}

/** A value of this shape from its text. The check of the shape refuses what cannot be read. */
const valueOf = (shape: Shape, name: string, text: string): unknown => {
  if (shape === "a number") return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
  if (shape === "true or false") return text === "true" || (text === "false" ? false : text)
  if (typeof shape === "string" && shape !== "anything") return text
  if (isTuple(shape)) {
    const [item, or] = shape
    if (or === null) return text === "null" ? null : valueOf(item, name, text)
    const isText = typeof item === "string" && item !== "anything"
    if (isText && !text.startsWith("[")) {
      const items = text.split(/[\s,]+/).filter((one) => one !== "")
      return or === "or a list" && items.length === 1 ? text : items
    }
    if (or === "or a text" && !text.startsWith("{")) return text
  }
  return json(name, text)
}

/** The names that `COUNTERSIGN_RECORDS_OFF` lists, as the option `records`. */
const recordsOff = (text: string | undefined): object | undefined => {
  if (text === undefined) return undefined
  const names = Object.keys(Record.filter(RecordOptions.defaults, (isOn) => isOn))
  const off = text.split(/[\s,]+/).filter((name) => name !== "")
  const unknown = off.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    refuse(`${recordsOffVariable} may name ${names.join(", ")}, and not ${unknown}`)
  }
  return Object.fromEntries(off.map((name) => [name, false]))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object with a value at a place. Leaves all other places as they are. */
const withValue = (
  base: unknown,
  [name = "", ...inner]: ReadonlyArray<string>,
  value: unknown,
): object => {
  const own = isObject(base) ? base : {}
  return { ...own, [name]: inner.length === 0 ? value : withValue(own[name], inner, value) }
}

/** A whole object replaces no member of the file that it does not name. */
const merged = (base: unknown, value: unknown): unknown =>
  isObject(base) && isObject(value)
    ? { ...base, ...Record.map(value, (member, name) => merged(base[name], member)) }
    : value

const at = (base: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), base)

/**
 * The configuration of a file with the settings of the environment, which take precedence. Throws
 * `ConfigurationError` for an unknown variable with the prefix, and for a value that cannot be read; no message quotes
 * a value.
 */
export const withEnvironment = (
  file: unknown,
  environment: Environment,
  resolve: (value: unknown, name: string) => unknown,
): unknown => {
  const found = withFiles(environment)
  refuseUnknown(found)
  const set = (base: unknown, { path, shape, variable }: Setting): unknown => {
    const text = found[variable]
    if (text === undefined) return base
    const value = resolve(valueOf(shape, variable, text), variable)
    check(shape, value, [variable])
    const place = path.split(".")
    return withValue(base, place, merged(at(base, place), value))
  }
  const off = recordsOff(found[recordsOffVariable])
  const base =
    off === undefined ? file : withValue(file, ["records"], merged(at(file, ["records"]), off))
  return settings.reduce(set, base)
}
