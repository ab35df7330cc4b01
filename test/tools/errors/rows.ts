/** The rows of errors, as the generators read them. */
import type { Row } from "@countersign/core/domain/errors/ErrorRow"
import * as Errors from "@countersign/core/domain/errors/Errors"
import {
  adminErrors,
  httpErrors,
  loginErrors,
  promiseErrors,
} from "@countersign/core/domain/errors/OtherErrors"
import * as Schema from "effect/Schema"

export interface ErrorEntry extends Row {
  readonly code: string
  /** The tag in the engine; `undefined` for the errors of other layers. */
  readonly tag: string | undefined
  /** Names the class of the promise API and the type of the client. */
  readonly name: string
  readonly source: "engine" | "promise" | "http" | "admin" | "login"
}

const nameOf = (code: string): string =>
  code
    .replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .replace("Whatsapp", "WhatsApp")

const entriesOf = (
  source: ErrorEntry["source"],
  rows: Readonly<Record<string, Omit<Row, "params">>>,
): ReadonlyArray<ErrorEntry> =>
  Object.entries(rows).map(([code, row]) => ({
    params: {},
    ...row,
    code,
    source,
    tag: undefined,
    name: nameOf(code),
  }))

const ofEngine: ReadonlyArray<ErrorEntry> = Object.entries(Errors).map(([tag, { row }]) => {
  return { ...row, tag, source: "engine", name: nameOf(row.code) }
})

const compare = (left: ErrorEntry, right: ErrorEntry): number => (left.code < right.code ? -1 : 1)

export const engineErrors = ofEngine.toSorted(compare)

export const promiseOnly = entriesOf("promise", promiseErrors).toSorted(compare)

export const all = [
  ...engineErrors,
  ...promiseOnly,
  ...entriesOf("http", httpErrors),
  ...entriesOf("admin", adminErrors),
  ...entriesOf("login", loginErrors),
].toSorted(compare)

/** A parameter as the promise API has it. */
export interface Param {
  readonly name: string
  readonly type: string
  readonly description: string
}

export const paramsOf = ({ params }: Pick<Row, "params">): ReadonlyArray<Param> =>
  Object.entries(params).map(([name, schema]) => {
    const { description, tsType } = Schema.resolveAnnotations(schema) ?? {}
    return { name, type: String(tsType), description: String(description) }
  })

/** The page that `error.docs` names. */
export const docsFile = "docs/errors.md"

export const quoted = (value: unknown): string => JSON.stringify(value)

/** The comment of a declaration. */
export const comment = (text: string): string => `/** ${text} */`
