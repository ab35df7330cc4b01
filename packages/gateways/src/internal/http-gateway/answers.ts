/**
 * Reads answers as a description says.
 */
import type { Answer } from "../exchange.ts"
import type { Condition, Source, When } from "./description.ts"
import { fromXml } from "./template.ts"

const pathForm = /^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,6}\])*$/

/** Whether a text is a path. */
export const isPath = (text: string): boolean => pathForm.test(text)

/** What stands at a path of a JSON value; `undefined` where nothing does. */
export const at = (value: unknown, path: string): unknown =>
  path.split(/\.|\[(\d+)\]/).reduce<unknown>((inner, key) => {
    if (key === undefined || key === "") return inner
    return typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
      ? Reflect.get(inner, key)
      : undefined
  }, value)

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined

/** A pattern of a description; throws where it is none. */
export const patternOf = (text: string): RegExp => new RegExp(text, "iu")

/** Most of an answer that patterns look at, in UTF-16 units: they are a host's, and may be slow. */
const maxSearched = 16_384

type Scalar = string | number | boolean

const listOf = (value: Scalar | ReadonlyArray<Scalar>): ReadonlyArray<Scalar> =>
  typeof value === "object" ? value : [value]

/** One condition, or several. */
export const conditionsOf = (when: When): ReadonlyArray<Condition> => (isList(when) ? when : [when])

const isList = (when: When): when is ReadonlyArray<Condition> => Array.isArray(when)

const holds = ({ equals, matches, path, status }: Condition, answer: Answer): boolean => {
  if (status !== undefined && !listOf(status).includes(answer.status)) return false
  const found = path === undefined ? answer.text : textOf(at(answer.json, path))
  if (path !== undefined && (found === undefined || found === "")) return false
  if (equals !== undefined) {
    if (!listOf(equals).some((one) => String(one) === found)) return false
  }
  return matches === undefined || patternOf(matches).test((found ?? "").slice(0, maxSearched))
}

/** Whether all conditions hold. */
export const fits = (when: When, answer: Answer): boolean =>
  conditionsOf(when).every((condition) => holds(condition, answer))

/** What a source points at; `undefined` where that is missing or empty. */
export const read = (source: Source | undefined, answer: Answer): string | undefined => {
  if (source === undefined) return undefined
  const found =
    "path" in source
      ? textOf(at(answer.json, source.path))
      : fromXml(patternOf(source.pattern).exec(answer.text.slice(0, maxSearched))?.[1] ?? "")
  return found === undefined || found.trim() === "" ? undefined : found.trim()
}
