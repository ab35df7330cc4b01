/**
 * What the environment says about how the app runs.
 */
import type { Operators } from "./operators.ts"

export interface Settings {
  readonly host: string
  /** 0 for any port that is free. */
  readonly port: number
  /**
   * The address of the page, as in `https://login.example.com`. Required in production. By default, the
   * address at which a request arrives.
   */
  readonly origin: string | undefined
  /** How many proxies stand in front of the app. Without the right number, visitors share one address. */
  readonly proxies: number
  /** `postgres://user:password@host:port/database`. By default, the data is in `dataDir`. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  /**
   * The secret that codes are hashed with. `undefined` without a server in development: the engine then keeps
   * one in `dataDir`.
   */
  readonly secret: string | undefined
  /** Who may use the dashboard. By default, no user. */
  readonly operators: Operators
  readonly isProduction: boolean
}

/** An empty variable counts as one that is not set. */
const variable = (name: string): string | undefined => {
  const text = process.env[name]
  return text === "" ? undefined : text
}

const wholeNumber = (name: string, otherwise: number): number => {
  const value = Number(variable(name) ?? otherwise)
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name} has to be a whole number`)
  return value
}

const originIn = (name: string, isRequired: boolean): string | undefined => {
  const text = variable(name)
  if (text === undefined && !isRequired) return undefined
  if (text !== undefined && URL.parse(text)?.origin === text) return text
  throw new Error(`${name} has to be an address without a path, as in https://login.example.com`)
}

/** Reads `olga=+8801712345678,omar=+8801812345678`. */
const operatorsIn = (name: string): Operators =>
  new Map(
    (variable(name)?.split(",") ?? []).map((entry): [string, string] => {
      const [, who, phoneNumber] = /^\s*(\w+)=(\+\d+)\s*$/.exec(entry) ?? []
      if (who !== undefined && phoneNumber !== undefined) return [phoneNumber, who]
      throw new Error(`${name} has to be names with phone numbers, as in olga=+8801712345678`)
    }),
  )

export const readSettings = (): Settings => {
  const isProduction = variable("NODE_ENV") === "production"
  return {
    host: variable("HOST") ?? "127.0.0.1",
    port: wholeNumber("PORT", 3000),
    origin: originIn("ORIGIN", isProduction),
    proxies: wholeNumber("PROXIES", 0),
    databaseUrl: variable("DATABASE_URL"),
    dataDir: variable("DATA_DIR") ?? ".countersign",
    secret: variable("COUNTERSIGN_SECRET"),
    operators: operatorsIn("OPERATORS"),
    isProduction,
  }
}
