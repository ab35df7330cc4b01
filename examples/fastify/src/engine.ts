/**
 * The engine, with what the environment says about it.
 */
import { type Countersign, createCountersign, developmentGateway } from "countersign"
import { randomBytes } from "node:crypto"

/** Prints what a phone would get. */
const printed = developmentGateway(({ channel, text, to }) =>
  console.log(`${channel} to ${to}: ${text}`),
)

const inProduction = process.env["NODE_ENV"] === "production"

/** Outside of production one that ends with the process will do: codes from before are then wrong. */
const pepper = (): string =>
  process.env["PEPPER"] || (inProduction ? "" : randomBytes(32).toString("hex"))

export const startEngine = (): Promise<Countersign> =>
  createCountersign({
    database: process.env["DATABASE_URL"] || undefined,
    dataDir: process.env["DATA_DIR"] || undefined,
    pepper: pepper(),
    // A vendor of yours goes here. Without any, the engine does not start in production.
    gateways: inProduction ? undefined : { sms: printed },
    // The whole app is one organization, and its users must not be able to use up each other's checks.
    limits: { checksPerOrganization: { max: 1_000, windowMillis: 60_000 } },
    log: (_level, text) => console.error(text),
  })
