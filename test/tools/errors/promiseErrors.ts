/** The error classes of the promise API, and their translation from the errors of the engine. */
import { amounts } from "@countersign/core/domain/errors/ErrorRow"
import {
  comment,
  docsFile,
  engineErrors,
  type ErrorEntry,
  paramsOf,
  promiseOnly,
  quoted,
} from "./rows.ts"

const entries = [...engineErrors, ...promiseOnly].toSorted((left, right) =>
  left.code < right.code ? -1 : 1,
)

const inBase = ["requestId", "retryAfterSeconds"]

const sentenceOf = ({ by, code, sentence }: ErrorEntry): string =>
  typeof sentence === "string" ? quoted(sentence) : `sentences.${code}[fields.${by}]`

const constructorOf = (entry: ErrorEntry): string => {
  const params = paramsOf(entry)
  const given =
    params.length === 0
      ? ""
      : `fields: Pick<${entry.name}Error, ${params.map(({ name }) => quoted(name)).join(" | ")}>, `
  const assigned = params.map(({ name }) => `    this.${name} = fields.${name}`)
  return `  constructor(${given}message: string = ${sentenceOf(entry)}, options?: ErrorOptions) {
    super(message, options)
${assigned.join("\n")}
  }`
}

const classOf = (entry: ErrorEntry): string => {
  const members = paramsOf(entry).map(
    ({ description, name, type }) =>
      `  ${comment(description)}\n  ${inBase.includes(name) ? "override " : ""}readonly ${name}: ${type}`,
  )
  return `${comment(entry.meaning)}
export class ${entry.name}Error extends BaseError {
  readonly code = "${entry.code}"
${members.join("\n")}

${constructorOf(entry)}

  get httpStatus(): ${entry.status} {
    return ${entry.status}
  }
}
`
}

export const promiseErrors = (): string => `
import type { FailureReason } from "@countersign/core/domain/values/FailureReason"
import { BaseError } from "./baseError.ts"
import { sentences } from "./errorTable.ts"
import type { FieldProblem, FieldProblems } from "./countersignError.ts"

${entries.map(classOf).join("\n")}`

const fieldsOf = (entry: ErrorEntry): string => {
  const names = paramsOf(entry).map(({ name }) => name)
  if (names.length === 0) return ""
  if (!names.some((name) => amounts.includes(name))) return "error, "
  return `{ ${names.map((name) => `${name}: Money.format(Money.fromUnits(error.${name}))`).join(", ")} }, `
}

export const translation = (): string => `
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Money from "@countersign/core/domain/values/Money"
import type { AnyError } from "./errorTable.ts"
import * as Errors from "./errors.ts"

/** The error of this package for an error of the engine. */
export const translate = (error: EngineError): AnyError => {
  switch (error.code) {
${engineErrors
  .map(
    (entry) => `case "${entry.code}":
      return new Errors.${entry.name}Error(${fieldsOf(entry)}error.message)`,
  )
  .join("\n")}
  }
}
`

export const errorTable = (): string => `
import type * as Errors from "./errors.ts"

/** The page that describes each error below its code, in the repository of this package. */
export const docsFile = ${quoted(docsFile)}

/** The sentence of each code, for developers. */
export const sentences = {
${entries.map(({ code, sentence }) => `${code}: ${quoted(sentence)},`).join("\n")}
} as const

/** The codes of the errors that only an operator can mend. */
export const forOperators: ReadonlySet<string> = new Set(${quoted(
  entries.filter(({ isForOperators }) => isForOperators === true).map(({ code }) => code),
)})

export type AnyError = ${entries.map(({ name }) => `Errors.${name}Error`).join(" | ")}
`
