/**
 * The engine, configured by the environment.
 */
import { type Countersign, createCountersign, developmentGateway } from "countersign"
import { vendors } from "./vendors.ts"

/** Prints each message. */
const printed = developmentGateway(({ channel, text, phoneNumber }) =>
  console.log(`${channel} to ${phoneNumber}: ${text}`),
)

const inProduction = process.env["NODE_ENV"] === "production"

export const startEngine = (): Promise<Countersign> =>
  createCountersign({
    database:
      process.env["DATABASE_URL"] ||
      (process.env["DATA_DIR"] ? { folder: process.env["DATA_DIR"] } : undefined),
    // In development the engine keeps one beside the embedded database.
    secret: process.env["COUNTERSIGN_SECRET"] || undefined,
    // Without a vendor codes are printed; production does not start like that.
    gateways: vendors() ?? (inProduction ? undefined : { sms: printed }),
    // The whole app is one organization, and its users must not be able to use up each other's checks.
    limits: { checksPerOrganization: { max: 1_000, per: "1 minute" } },
    log: ({ message }) => console.error(message),
  })
