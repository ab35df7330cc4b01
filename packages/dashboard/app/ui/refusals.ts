/** The refusals of the service, in the reader's words. */
import type { ApiError, FieldProblem, Problems } from "../api/client.ts"
import { type Dictionary, fill } from "../i18n/dictionary.ts"
import type { Format } from "../i18n/format.ts"

/** The texts and the formats of the reader's language. */
export interface Words {
  readonly t: Dictionary
  readonly format: Format
}

/** The parameters that are amounts. Others, such as a prefix, may look like one. */
const amounts = ["amount", "available", "max", "required"]

const textOf = (name: string, value: unknown, { format, t }: Words): string => {
  if (typeof value === "number") return format.number(value)
  if (Array.isArray(value)) return format.list(value.map(String))
  const text = String(value)
  // What to write stays as it is.
  if (name === "write") return text
  const names: Readonly<Record<string, string>> =
    name === "channel" ? t.channel : name === "kind" ? t.entryKind : {}
  return names[text] ?? format.duration(amounts.includes(name) ? format.decimal(text) : text)
}

const filled = (sentence: string, params: FieldProblem["params"], words: Words): string =>
  fill(
    sentence,
    Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, textOf(name, value, words)]),
    ),
  )

/** The sentence of a problem, without its subject. A code without a translation keeps the service's sentence. */
export const problemText = ({ code, message, params }: FieldProblem, words: Words): string => {
  const sentences: Readonly<Record<string, string>> = words.t.problem
  const sentence = sentences[code]
  if (sentence === undefined) return message
  return filled(sentence, params, words)
}

/** The sentence of an error: the one of its reason or status, else the one of its code. */
export const refusalText = (
  { code, params }: Pick<ApiError, "code" | "params">,
  words: Words,
): string | undefined => {
  const sentences: Readonly<Record<string, string>> = words.t.refusal
  const { reason, status = reason } = params
  const sentence = sentences[`${code}/${String(status)}`] ?? sentences[code]
  if (sentence === undefined) return undefined
  return [
    filled(sentence, params, words),
    ...(code === "sending_failed" ? causeOf(params, words) : []),
  ].join(" ")
}

/** Why a message was not sent, and what the gateway said. */
const causeOf = (
  { gateway, reason, vendorMessage }: ApiError["params"],
  { t }: Words,
): ReadonlyArray<string> => {
  const causes: Readonly<Record<string, string>> = t.failureReason
  const cause = causes[String(reason)]
  return [
    ...(cause === undefined ? [] : [cause]),
    ...(typeof gateway === "string" && typeof vendorMessage === "string"
      ? [`${gateway}: ${vendorMessage}`]
      : []),
  ]
}

/** The problems of an organization's limits under the name of each limit, at which a form shows them. */
export const byLimit = (problems: Problems): Problems => {
  const all: Record<string, Array<FieldProblem>> = {}
  for (const [field, list] of Object.entries(problems))
    for (const problem of list) {
      const { limit = field.replace(/^limits\./, "") } = problem.params
      const [name = field] = String(limit).split(".")
      ;(all[name] ??= []).push(problem)
    }
  return all
}
