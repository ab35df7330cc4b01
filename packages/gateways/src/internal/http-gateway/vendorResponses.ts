/** Reads answers according to a description. */
import type { Answer } from "../exchange.ts"
import type { HttpCondition, HttpSource, HttpWhen } from "../../HttpDescription.ts"
import { at } from "../json.ts"
import { fromXml } from "./template.ts"

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined

/** Compiles a pattern of a description. Throws if it is not a valid pattern. */
export const patternOf = (text: string): RegExp => new RegExp(text, "iu")

/** Longest part of an answer that patterns search, in UTF-16 units: the patterns of hosts may be slow. */
const maxSearched = 16_384

/** Returns the conditions as a list. */
export const conditionsOf = (when: HttpWhen): ReadonlyArray<HttpCondition> => [when].flat()

const holds = ({ equals, matches, path, status }: HttpCondition, answer: Answer): boolean => {
  if (status !== undefined && ![status].flat().includes(answer.status)) return false
  const found = path === undefined ? answer.text : textOf(at(answer.json, path))
  if (path !== undefined && (found === undefined || found === "")) return false
  const wanted = equals === undefined ? undefined : [equals].flat().map(String)
  if (wanted?.includes(found ?? "") === false) return false
  return matches === undefined || patternOf(matches).test((found ?? "").slice(0, maxSearched))
}

/** Whether all conditions hold. */
export const fits = (when: HttpWhen, answer: Answer): boolean =>
  conditionsOf(when).every((condition) => holds(condition, answer))

/** Returns the text that a source selects; `undefined` if it is missing or empty. */
export const read = (source: HttpSource | undefined, answer: Answer): string | undefined => {
  if (source === undefined) return undefined
  const found =
    "path" in source
      ? textOf(at(answer.json, source.path))
      : fromXml(patternOf(source.pattern).exec(answer.text.slice(0, maxSearched))?.[1] ?? "")
  return found === undefined || found.trim() === "" ? undefined : found.trim()
}
