/** The rows of all errors, by their codes. */
import type { EngineError } from "./EngineError.ts"
import type { Row } from "./ErrorRow.ts"
import * as Errors from "./Errors.ts"
import { adminErrors, httpErrors, loginErrors, promiseErrors } from "./OtherErrors.ts"

/** A code in the promise API or in a response. */
export type AnyCode =
  | EngineError["code"]
  | keyof typeof adminErrors
  | keyof typeof httpErrors
  | keyof typeof loginErrors
  | keyof typeof promiseErrors

const otherRows = Object.entries({
  ...promiseErrors,
  ...httpErrors,
  ...adminErrors,
  ...loginErrors,
})

const rows: ReadonlyMap<string, Row> = new Map<string, Row>([
  ...Object.values(Errors).map(({ row }) => [row.code, row] as const),
  ...otherRows.map(([code, row]) => [code, { params: {}, ...row }] as const),
])

export const rowOf = (code: AnyCode): Row => {
  const row = rows.get(code)
  if (row === undefined) throw new Error(`No row describes the error ${code}`)
  return row
}
