/**
 * The messages that users read when something did not work.
 */
import type { CountersignError } from "countersign"

/** The engine's own words are for developers; these are for the person who signs in. */
const wordsFor = (error: CountersignError): string => {
  switch (error.code) {
    case "invalid_request":
      return error.details["code"] === undefined
        ? "Please enter a phone number, as in 01712-345678 or +880 1712-345678."
        : "Please enter the code from the message."
    case "wrong_code":
      return `That is not the code. Tries left: ${error.attemptsRemaining}.`
    case "not_on_whatsapp":
      return "This number is not on WhatsApp."
    case "request_not_found":
      return "Please ask for a new code."
    case "request_expired":
      return "The code has expired. Please ask for a new one."
    case "attempts_exhausted":
      return "Too many wrong codes. Please ask for a new one."
    case "rate_limited":
      return `That was too often. Please try again in ${error.retryAfterSeconds} seconds.`
    case "too_many_pending":
      return "This number has several codes already. Please use the last one."
    case "sending_failed":
      return "The code could not be sent to this number."
    case "unavailable":
      return `We cannot answer at the moment. Please try again in ${error.retryAfterSeconds} seconds.`
    default:
      return "We cannot send codes at the moment. Please try again later."
  }
}

/** The status of an answer. An empty balance is the app's own fault, not the user's. */
export const statusFor = (error: CountersignError): number =>
  error.code === "insufficient_balance" ? 503 : error.httpStatus

/** The body of an answer: `code` and the numbers are for scripts, `error` is for people. */
export const bodyFor = (error: CountersignError): object => ({
  code: error.code,
  error: wordsFor(error),
  ...("attemptsRemaining" in error && { attemptsRemaining: error.attemptsRemaining }),
  ...("retryAfterSeconds" in error && { retryAfterSeconds: error.retryAfterSeconds }),
})

/** The body of an answer to who wants another code too early. */
export const tooEarly = (retryAfterSeconds: number): object => ({
  code: "cooldown",
  error: `Please wait ${retryAfterSeconds} seconds before we send the code again.`,
  retryAfterSeconds,
})
