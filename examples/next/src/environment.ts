/**
 * What the environment says about how the app runs.
 */

/** Whether there are users. A build can be tried without any, with PRINT_CODES. */
export const isInUse = (): boolean =>
  process.env["NODE_ENV"] === "production" && process.env["PRINT_CODES"] !== "true"

/** How long a user waits before a code can be sent again. */
export const resendSeconds = (): number => Number(process.env["RESEND_SECONDS"] || 30)
