/**
 * What users are told when something did not work: one row for each of the engine's errors.
 */
import {
  type CountersignError,
  type ErrorCode,
  InvalidRequestError,
  RateLimitedError,
  UnavailableError,
  WrongCodeError,
} from "countersign"

export interface Answer {
  readonly status: number
  readonly body: {
    /** For scripts. */
    readonly code: string
    /** For people. */
    readonly error: string
    readonly attemptsRemaining?: number
    readonly retryAfterSeconds?: number
  }
}

const later = "We cannot send codes at the moment. Please try again later."

/** The engine's own words are for developers; these are for whoever is signing in. */
const answers: Readonly<Record<ErrorCode, readonly [status: number, error: string]>> = {
  invalid_request: [400, "Please enter a phone number, as in 01712-345678 or +880 1712-345678."],
  wrong_code: [400, "That is not the code."],
  not_on_whatsapp: [400, "This number is not on WhatsApp."],
  request_not_found: [404, "Please ask for a new code."],
  request_expired: [410, "The code has expired. Please ask for a new one."],
  attempts_exhausted: [429, "Too many wrong codes. Please ask for a new one."],
  rate_limited: [429, "That was too often."],
  too_many_pending: [429, "This number has several codes already. Please use the last one."],
  sending_failed: [502, "The code could not be sent to this number."],
  unavailable: [503, "We cannot answer at the moment."],
  // What follows is for whoever runs the app to put right, and nothing that a user could do about.
  insufficient_balance: [503, later],
  sender_unusable: [503, later],
  address_not_allowed: [500, later],
  configuration: [500, later],
  disposed: [500, later],
  internal: [500, later],
  api_key_not_found: [500, later],
  message_not_found: [500, later],
  organization_exists: [500, later],
  organization_not_found: [500, later],
  start: [500, later],
  unauthorized: [500, later],
}

export const answerFor = (error: CountersignError): Answer => {
  const [status, text] = answers[error.code]
  const { code } = error
  if (error instanceof WrongCodeError) {
    const { attemptsRemaining } = error
    const left = `${text} Tries left: ${attemptsRemaining}.`
    return { status, body: { code, error: left, attemptsRemaining } }
  }
  if (error instanceof RateLimitedError || error instanceof UnavailableError) {
    const { retryAfterSeconds } = error
    const wait = `${text} Please try again in ${retryAfterSeconds} seconds.`
    return { status, body: { code, error: wait, retryAfterSeconds } }
  }
  if (error instanceof InvalidRequestError && error.details["code"] !== undefined) {
    return { status, body: { code, error: "Please enter the code from the message." } }
  }
  return { status, body: { code, error: text } }
}
