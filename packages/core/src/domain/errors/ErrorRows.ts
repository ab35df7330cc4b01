/**
 * The rows of all errors, by their codes.
 */
import type { EngineError } from "./EngineError.ts"
import type { Row } from "./ErrorRow.ts"
import * as Errors from "./Errors.ts"
import { adminErrors, httpErrors, promiseErrors } from "./OtherErrors.ts"

/** A code in the promise API or in a response. */
export type AnyCode =
  | EngineError["code"]
  | keyof typeof adminErrors
  | keyof typeof httpErrors
  | keyof typeof promiseErrors

const engineRows = Object.values(Errors).map(({ row }): readonly [string, Row] => [row.code, row])

const rows: ReadonlyMap<string, Row> = new Map([
  ...engineRows,
  ...Object.entries(promiseErrors),
  ...Object.entries(httpErrors),
  ...Object.entries(adminErrors),
])

export const rowOf = (code: AnyCode): Row => {
  const row = rows.get(code)
  if (row === undefined) throw new Error(`No row describes the error ${code}`)
  return row
}
