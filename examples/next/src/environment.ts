/**
 * What the environment says about how seriously the app is meant.
 */
import { randomBytes } from "node:crypto"

/** Whether there are users. A build can be tried without any, with PRINT_CODES. */
export const isInUse = (): boolean =>
  process.env["NODE_ENV"] === "production" && process.env["PRINT_CODES"] !== "true"

const secrets = ["PEPPER", "SESSION_SECRET"]

/**
 * Makes the secrets that are not given, where there are no users: they end with the process, and so does
 * what was sent or signed with them. They are in the environment because all bundles share that.
 */
export const ensureSecrets = (): void => {
  for (const name of secrets) {
    if (process.env[name]) continue
    if (isInUse()) throw new Error(`${name} has to be set in production`)
    process.env[name] = randomBytes(32).toString("hex")
  }
}
