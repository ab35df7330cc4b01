/**
 * The engine, as this app wants it.
 */
import { type Countersign, createCountersign, developmentGateway } from "countersign"
import type { Settings } from "./settings.ts"
import { vendors } from "./vendors.ts"

/** Prints each message. */
const printed = developmentGateway(({ channel, text, phoneNumber }) =>
  console.log(`${channel} to ${phoneNumber}: ${text}`),
)

export const startEngine = ({
  databaseUrl,
  dataDir,
  pepper,
  production,
}: Settings): Promise<Countersign> =>
  createCountersign({
    database: databaseUrl,
    dataDir,
    pepper,
    // Without a vendor codes are printed; production does not start like that.
    gateways: vendors() ?? (production ? undefined : { sms: printed }),
    // The whole app is one organization, and its users must not be able to use up each other's checks.
    limits: { checksPerOrganization: { max: 1_000, windowMillis: 60_000 } },
    // Standard output is for messages, and for the key that `createKey` makes.
    log: (_level, text) => console.error(text),
  })
