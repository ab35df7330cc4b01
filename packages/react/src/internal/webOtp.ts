/** WebOTP: the browser reads the code from an SMS that ends with `@example.com #123456`. */

const hasCode = (value: object | null): value is { readonly code: string } =>
  value !== null && "code" in value && typeof value.code === "string"

/** Passes on the code of the next such SMS, until the returned function is called. */
export const receiveCode = (onCode: (code: string) => void): (() => void) => {
  const controller = new AbortController()
  const { signal } = controller
  if ("OTPCredential" in window) {
    // The types of the DOM do not have `otp`.
    const options = { otp: { transport: ["sms"] }, signal }
    const receive = async (): Promise<void> => {
      const credential = await navigator.credentials.get(options)
      if (!signal.aborted && hasCode(credential)) onCode(credential.code)
    }
    // Refused by a policy, by the user, or by the abort: the user types the code.
    receive().catch(() => {})
  }
  return () => controller.abort()
}
