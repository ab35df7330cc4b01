/**
 * The engine, as this app wants it.
 */
import { type Channel, type Countersign, createCountersign, developmentGateway } from "countersign"
import type { Settings } from "./settings.ts"
import { vendors } from "./vendors.ts"

/** Prints each message. */
const printed = developmentGateway(({ channel, text, phoneNumber }) =>
  console.log(`${channel} to ${phoneNumber}: ${text}`),
)

/** The channels that users may choose. Of the vendors here, Twilio has WhatsApp, with a sender for it. */
export const channels = (): ReadonlyArray<Channel> =>
  vendors() === undefined || process.env["TWILIO_WHATSAPP_FROM"] ? ["sms", "whatsapp"] : ["sms"]

export const startEngine = ({
  databaseUrl,
  dataDir,
  isProduction,
  origin,
  secret,
}: Pick<
  Settings,
  "databaseUrl" | "dataDir" | "isProduction" | "origin" | "secret"
>): Promise<Countersign> =>
  createCountersign({
    database: databaseUrl ?? (dataDir === undefined ? undefined : { folder: dataDir }),
    secret,
    // Without a vendor codes are printed; production does not start like that.
    gateways: vendors() ?? (isProduction ? undefined : { sms: printed, whatsapp: printed }),
    verifications: {
      // Adds the line "@login.example.com #123456", by which browsers offer the code on this site only.
      texts: origin === undefined ? undefined : { domain: new URL(origin).hostname },
    },
    // Of one visitor, over all numbers. Offices and mobile networks share an address among many people.
    limits: {
      sendsPerClient: { max: 20, per: "10 minutes" },
      checksPerClient: { max: 60, per: "10 minutes" },
    },
    // Standard output is for messages, and for the key that `createKey` makes.
    log: ({ message }) => console.error(message),
  })
