/**
 * The messages that users read when something did not work.
 */
import { load } from "./engine.ts"

export const numberWanted = "Please enter a phone number, as in 01712-345678 or +880 1712-345678."

export const wordsFor = async (error: unknown): Promise<string> => {
  const { isCountersignError } = await load()
  if (isCountersignError(error)) {
    switch (error.code) {
      case "invalid_request":
        return "Please enter a phone number, or the code from the message."
      case "wrong_code":
        return `That is not the code. Tries left: ${error.attemptsRemaining}.`
      case "request_expired":
      case "request_not_found":
        return "The code has expired. Please ask for a new one."
      case "attempts_exhausted":
        return "Too many wrong codes. Please ask for a new one."
      case "too_many_pending":
        return "This number has several codes already. Please use the last one."
      case "rate_limited":
        return `Please try again in ${error.retryAfterSeconds} seconds.`
    }
  }
  console.error(error)
  return "We cannot send or check codes at the moment. Please try again later."
}
