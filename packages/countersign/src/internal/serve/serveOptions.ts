import { checkCountersign } from "../engine/createCountersign.ts"
import { wholeNumber } from "../options/check.ts"
import { secretsOf } from "../options/secrets.ts"
import { serveOptions } from "../options/serveShape.ts"
import { check } from "../options/shape.ts"
import type { CountersignOptions } from "../types/options.ts"
import type { ServeOptions } from "../types/serve.ts"
import { type Environment, withEnvironment } from "./environment.ts"
import type { JsonSchema } from "./schema.ts"
import { resolved } from "./values.ts"

/** A configuration as its file has it. */
export interface ConfigFile {
  /** The value of the JSON, or what a module exports by default. */
  readonly value: unknown
  /** Whether it is JSON, whose values may stand elsewhere. */
  readonly isJson: boolean
}

const isServeOptions = (value: unknown): value is ServeOptions => {
  check(serveOptions, value, [])
  return true
}

/** The name of the schema, for editors. */
const withoutSchema = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || !("$schema" in value)) return value
  const { $schema: _, ...others } = value
  return others
}

/**
 * Reads the options from a file and from the environment, which takes precedence. Throws `ConfigurationError` for what
 * is unknown or has the wrong type, and for a variable or a file that is missing.
 */
export const readServeOptions = (
  file: ConfigFile | undefined,
  environment: Environment,
): ServeOptions => {
  const resolve = resolved(environment)
  const value = withoutSchema(file?.value ?? {})
  const own = file?.isJson === true ? resolve(value, "") : value
  const options = withEnvironment(own, environment, resolve)
  return isServeOptions(options) ? options : {}
}

/** The options of the engine, with gateways as values. Throws `ConfigurationError` for a vendor that does not exist. */
export const countersignOptionsOf = async ({
  admin,
  dashboard: _dashboard,
  gateways,
  listen = {},
  shutdownWait: _shutdownWait,
  ...options
}: ServeOptions): Promise<CountersignOptions> => {
  wholeNumber("listen.port", listen.port, { min: 0, max: 65_535 })
  if (admin !== undefined) secretsOf("admin.token", admin.token, options)
  if (gateways === undefined) return options
  const { gatewaysOf } = await import("./namedGateways.ts")
  return { ...options, gateways: gatewaysOf(gateways) }
}

/** Checks the options as a start does. Connects to no database and to no gateway. */
export const checkServeOptions = async (options: ServeOptions): Promise<void> =>
  checkCountersign(await countersignOptionsOf(options))

/** The description of each setting, by its place. */
export const settingTexts = async (): Promise<Readonly<Record<string, string>>> =>
  (await import("../options/serveTexts.ts")).serveTexts

/** The JSON schema of the file. */
export const configSchema = async (): Promise<JsonSchema> =>
  (await import("./schema.ts")).jsonSchema()
