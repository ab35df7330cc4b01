/**
 * The engine of this process.
 */
import type { Countersign } from "countersign"
import { isInUse } from "./environment.ts"

declare global {
  // Next bundles each route by itself and, in development, again after every change: what is there once
  // for the whole process cannot live in a module.
  var engineOfThisProcess: Promise<Countersign> | undefined
}

/**
 * Leaves the package to Node and out of the bundles. `serverExternalPackages` does the same in
 * `next.config.ts`, but not for packages of the workspace that the app is in.
 */
export const load = () => import(/* turbopackIgnore: true */ "countersign")

/** E.164, from a number as people type it; `undefined` if it is not a number. Without a country code it is one of Bangladesh. */
export const toE164 = async (typed: string): Promise<string | undefined> =>
  (await load()).parsePhoneNumber(typed, { country: "BD" })

/** Your vendors. `undefined` without their settings in the environment. */
const vendors = async () => {
  const apiToken = process.env["SSL_WIRELESS_API_TOKEN"]
  if (!apiToken) return undefined
  const { sslWireless } = await import(/* turbopackIgnore: true */ "countersign/gateways")
  const sid = process.env["SSL_WIRELESS_SID"] || undefined
  return [sslWireless({ apiToken, sid })]
}

const start = async (): Promise<Countersign> => {
  const { createCountersign, developmentGateway } = await load()
  // Prints each message.
  const printed = developmentGateway(({ channel, text, phoneNumber }) =>
    console.log(`${channel} to ${phoneNumber}: ${text}`),
  )
  return createCountersign({
    database:
      process.env["DATABASE_URL"] ||
      (process.env["DATA_DIR"] ? { folder: process.env["DATA_DIR"] } : undefined),
    // In development the engine keeps one beside the embedded database.
    secret: process.env["COUNTERSIGN_SECRET"] || undefined,
    // Without a vendor codes are printed; production does not start like that.
    gateways: (await vendors()) ?? (isInUse() ? undefined : { sms: printed }),
    log: ({ message }) => console.error(message),
  })
}

/** Starts it with the first call, and not when a module is loaded: `next build` loads them all. */
export const countersign = (): Promise<Countersign> =>
  (globalThis.engineOfThisProcess ??= start().catch((error: unknown) => {
    // The database may be there the next time.
    globalThis.engineOfThisProcess = undefined
    throw error
  }))
