/**
 * What the environment says about how the app runs.
 */
export interface Settings {
  readonly host: string
  /** 0 for any port that is free. */
  readonly port: number
  /** `postgres://user:password@host:port/database`. By default, the data is in `dataDir`. */
  readonly databaseUrl: string | undefined
  readonly dataDir: string
  /**
   * The secret that codes are hashed with. `undefined` without a server in development: the engine then keeps
   * one in `dataDir`.
   */
  readonly pepper: string | undefined
  /** How long a user waits before a code can be sent again. */
  readonly resendSeconds: number
  readonly production: boolean
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

export const readSettings = (): Settings => ({
  host: variable("HOST") ?? "127.0.0.1",
  port: wholeNumber("PORT", 3000),
  databaseUrl: variable("DATABASE_URL"),
  dataDir: variable("DATA_DIR") ?? ".countersign",
  pepper: variable("PEPPER"),
  resendSeconds: wholeNumber("RESEND_SECONDS", 30),
  production: variable("NODE_ENV") === "production",
})
