/**
 * What users read when something did not work. The words follow from the code of the error: its message is
 * English, and for developers.
 */
import { CountersignError, errorResponse } from "countersign"
import type { Html } from "./html.ts"
import { fill, type Language, numberIn, timeIn, words } from "./words.ts"

export interface Problem {
  readonly code: keyof (typeof words)["en"]["problems"]
  /** Whether the value of the field is wrong. */
  readonly isInvalid?: boolean
  readonly attemptsRemaining?: number
  readonly retryAfterSeconds?: number
}

export const problemOf = (error: unknown): Problem => {
  if (!(error instanceof CountersignError)) return { code: "other" }
  switch (error.code) {
    case "invalid_request":
      return {
        code: error.details["phoneNumber"] === undefined ? "invalid_code" : "invalid_number",
        isInvalid: true,
      }
    case "wrong_code":
      return { code: error.code, isInvalid: true, attemptsRemaining: error.attemptsRemaining }
    case "rate_limited": {
      const { reason, retryAfterSeconds } = error
      return { code: reason === "cooldown" ? "cooldown" : "rate_limited", retryAfterSeconds }
    }
    case "too_many_pending":
    case "unavailable":
      return { code: error.code, retryAfterSeconds: error.retryAfterSeconds }
    case "already_consumed":
    case "attempts_exhausted":
    case "not_on_whatsapp":
    case "request_expired":
    case "request_not_found":
    case "resends_exhausted":
    case "sending_failed":
      return { code: error.code }
    default:
      return { code: "other" }
  }
}

export const explain = (language: Language, problem: Problem): Html => {
  const { attemptsRemaining = 0, code, retryAfterSeconds = 0 } = problem
  return fill(words[language].problems[code], {
    count: numberIn(language, attemptsRemaining),
    time: timeIn(language, retryAfterSeconds),
  })
}

/** Body parsers put the status of a bad request into the error. */
const statusIn = (error: unknown): number => {
  const status = error instanceof Error && "status" in error ? error.status : undefined
  return typeof status === "number" && status < 500 ? status : 500
}

/** The status of an answer. */
export const statusOf = (error: unknown): number =>
  error instanceof CountersignError ? errorResponse(error).status : statusIn(error)
