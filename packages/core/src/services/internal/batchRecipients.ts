/** The recipients of a batch, as a caller gives them: read in blocks, with the texts that they get. */
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import type { RefusedRecipient } from "../../api/batches.ts"
import { InvalidRequest } from "../../domain/errors/Errors.ts"
import * as FieldProblem from "../../domain/values/FieldProblem.ts"
import { isObject } from "../../domain/values/internal/checks.ts"

export interface Blocks {
  /** The next block; empty after the last. */
  readonly next: () => Promise<ReadonlyArray<unknown>>
  /** Stops reading. */
  readonly end: () => Promise<void>
}

/** Whether a value is recipients. A text is not: it would be one recipient for each letter. */
export const isRecipients = (value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> =>
  typeof value === "object" &&
  value !== null &&
  (Symbol.asyncIterator in value || Symbol.iterator in value)

export const blocksOf = (
  recipients: Iterable<unknown> | AsyncIterable<unknown>,
  size: number,
): Blocks => {
  const items =
    Symbol.asyncIterator in recipients
      ? recipients[Symbol.asyncIterator]()
      : recipients[Symbol.iterator]()
  return {
    next: async () => {
      const block: Array<unknown> = []
      while (block.length < size) {
        const item = await items.next()
        if (item.done === true) break
        block.push(item.value)
      }
      return block
    },
    end: async () => {
      await items.return?.()
    },
  }
}

const placeholder = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g

const problemOf = (field: string, problem: FieldProblem.FieldProblem) =>
  Result.fail(new InvalidRequest({ details: { [field]: [problem] } }))

const isText = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number"

const filled = (text: string, values: object): Result.Result<string, InvalidRequest> => {
  let missing: string | undefined
  const found = new Map(Object.entries(values))
  const made = text.replace(placeholder, (_all, name: string) => {
    const value: unknown = found.get(name)
    if (isText(value)) return String(value)
    missing ??= name
    return ""
  })
  return missing === undefined
    ? Result.succeed(made)
    : problemOf(`values.${missing}`, FieldProblem.make("required", {}))
}

const fields = ["phoneNumber", "text", "values"]

/** The phone number and the text of a recipient. `shared`: the text of the batch. */
export const readRecipient = (
  given: unknown,
  shared: string | undefined,
): Result.Result<{ readonly phoneNumber: string; readonly text: string }, InvalidRequest> => {
  if (typeof given === "string") return readRecipient({ phoneNumber: given }, shared)
  if (!isObject(given)) return problemOf("recipient", FieldProblem.make("not_object", {}))
  const { phoneNumber, text = shared, values = {} } = given
  const unknown = Object.keys(given).find((name) => !fields.includes(name))
  if (unknown !== undefined) {
    return problemOf(unknown, FieldProblem.make("unknown_field", { meant: null }))
  }
  if (typeof phoneNumber !== "string") {
    const code = phoneNumber === undefined ? "required" : "not_string"
    return problemOf("phoneNumber", FieldProblem.make(code, {}))
  }
  if (typeof text !== "string") {
    return problemOf("text", FieldProblem.make(text === undefined ? "required" : "not_string", {}))
  }
  if (!isObject(values)) return problemOf("values", FieldProblem.make("not_object", {}))
  return Result.map(filled(text, values), (made) => ({ phoneNumber, text: made }))
}

/** The phone number of a recipient, for people. */
const shownNumber = (given: unknown): string => {
  const value = isObject(given) ? given["phoneNumber"] : given
  return isText(value) ? String(value).slice(0, 32) : ""
}

export const refusedRow = (
  position: number,
  given: unknown,
  { details, message: reason }: InvalidRequest,
): RefusedRecipient => ({
  position,
  phoneNumber: shownNumber(given),
  reason,
  problems: Record.map(details, (problems) =>
    problems.map(({ code, message, params }) => ({ code, params: { ...params }, message })),
  ),
})
