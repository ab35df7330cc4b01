/**
 * What the environment says about how the app runs.
 */
import { randomBytes } from "node:crypto"

export interface Settings {
  readonly host: string
  /** 0 for any port that is free. */
  readonly port: number
  /** `postgres://user:password@host:port/database`; left out, the data is in `dataDir`. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  /** What codes are hashed with, 32 characters or more. */
  readonly pepper: string
  readonly production: boolean
}

/** An empty variable counts as one that is not set. */
const variable = (name: string): string | undefined => {
  const text = process.env[name]
  return text === "" ? undefined : text
}

/** A pepper that ends with the process: codes from before a restart are then wrong, and nothing else is. */
const passingPepper = (): string => randomBytes(32).toString("hex")

export const readSettings = (): Settings => {
  const production = variable("NODE_ENV") === "production"
  const pepper = variable("PEPPER")
  if (production && pepper === undefined) throw new Error("PEPPER has to be set in production")
  const port = Number(variable("PORT") ?? 3000)
  if (!Number.isInteger(port)) throw new Error("PORT has to be a number")
  return {
    host: variable("HOST") ?? "127.0.0.1",
    port,
    databaseUrl: variable("DATABASE_URL"),
    dataDir: variable("DATA_DIR") ?? ".countersign",
    pepper: pepper ?? passingPepper(),
    production,
  }
}
