/**
 * What users are told when something did not work.
 */

export const numberWanted = "Please enter a phone number, as in 01712-345678 or +880 1712-345678."

const member = (error: unknown, name: string): unknown =>
  error instanceof Error ? Object.getOwnPropertyDescriptor(error, name)?.value : undefined

/**
 * By the error's `code`, and not by its class: the class in a bundle would be a copy of the one that the
 * engine throws.
 */
export const wordsFor = (error: unknown): string => {
  switch (member(error, "code")) {
    case "invalid_request":
      return "Please enter a phone number, or the code from the message."
    case "wrong_code":
      return `That is not the code. Tries left: ${String(member(error, "attemptsRemaining"))}.`
    case "request_expired":
    case "request_not_found":
      return "The code has expired. Please ask for a new one."
    case "attempts_exhausted":
      return "Too many wrong codes. Please ask for a new one."
    case "too_many_pending":
      return "This number has several codes already. Please use the last one."
    case "rate_limited":
      return `Please try again in ${String(member(error, "retryAfterSeconds"))} seconds.`
    default:
      console.error(error)
      return "We cannot send or check codes at the moment. Please try again later."
  }
}
