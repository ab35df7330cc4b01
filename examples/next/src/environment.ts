/**
 * What the environment says about how the app runs.
 */

/** Whether there are users. A build can be tried without any, with PRINT_CODES. */
export const isInUse = (): boolean =>
  process.env["NODE_ENV"] === "production" && process.env["PRINT_CODES"] !== "true"

/** Who may use the dashboard, by phone number: OPERATORS is `olga=+8801712345678,omar=+8801812345678`. */
export const operators = (): ReadonlyMap<string, string> =>
  new Map(
    (process.env["OPERATORS"] || "")
      .split(",")
      .map((entry) => entry.trim().split("="))
      .flatMap(([name, phoneNumber]) => (name && phoneNumber ? [[phoneNumber, name]] : [])),
  )
