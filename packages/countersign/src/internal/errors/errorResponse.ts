import type { CountersignError, ErrorCode, FieldProblems } from "./countersignError.ts"
import { forOperators, sentences } from "./errorTable.ts"

/** The answer of an app to a call that has failed. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ErrorBody
}

/**
 * The part of an error that a browser may see. It does not contain the id of the request, with which another browser
 * could try codes. Members that are `undefined` do not appear in JSON.
 */
export interface ErrorBody {
  /** The `code` of the error; `unavailable` for errors that only an operator can mend. */
  readonly code: ErrorCode
  /** An English sentence, for developers. */
  readonly message: string
  readonly retryAfterSeconds: number | undefined
  /** Only of `wrong_code`. */
  readonly attemptsRemaining: number | undefined
  /** Only of `invalid_request`: the problems of each invalid field, by the field's name. */
  readonly details: FieldProblems | undefined
}

const noStore = { "cache-control": "no-store" } as const

/** The public part of an error that only an operator can mend. */
const hidden = { code: "unavailable", httpStatus: 503, retryAfterSeconds: undefined } as const

const sentenceOf = (error: CountersignError): string => {
  const sentence: string | Readonly<Record<string, string>> = sentences[error.code]
  if (typeof sentence === "string") return sentence
  return (
    sentence[
      error.code === "rate_limited" ? error.reason : "status" in error ? error.status : ""
    ] ?? ""
  )
}

/**
 * The response to an error: status, headers and JSON body. Errors that only an operator can mend become a plain 503,
 * which tells users nothing of your account, your keys or your settings; log them. Other values, such as the bugs of
 * your own code, are not accepted: pass them on to your own handler.
 */
export const errorResponse = (error: CountersignError): ErrorResponse => {
  const isHidden = forOperators.has(error.code)
  const { code, httpStatus, retryAfterSeconds } = isHidden ? hidden : error
  return {
    status: httpStatus,
    headers:
      retryAfterSeconds === undefined
        ? noStore
        : { ...noStore, "retry-after": String(retryAfterSeconds) },
    body: {
      code,
      message: isHidden ? sentences.unavailable : sentenceOf(error),
      retryAfterSeconds,
      attemptsRemaining: error.code === "wrong_code" ? error.attemptsRemaining : undefined,
      details: error.code === "invalid_request" ? error.details : undefined,
    },
  }
}
