import * as Duration from "@countersign/core/domain/values/Duration"
import { allowListProblems } from "@countersign/core/domain/organizations/Organization"
import * as Result from "effect/Result"
import { ConfigurationError } from "../errors/errors.ts"
import type { CountersignOptions } from "../types/options.ts"

export const isProduction = ({ production }: Pick<CountersignOptions, "production">): boolean =>
  production ?? process.env["NODE_ENV"] === "production"

const isDevelopment = (): boolean => /^(?:development|test)$/.test(process.env["NODE_ENV"] ?? "")

/** Whether published secrets are refused. A database server may serve users even if `NODE_ENV` is not set. */
export const mayServeUsers = (options: CountersignOptions): boolean => {
  const { database } = options
  const { pool, url } = typeof database === "object" ? database : { url: database }
  const isShared = pool !== undefined || (url !== undefined && url !== "memory")
  return isProduction(options) || (isShared && !isDevelopment())
}

export const refuse = (text: string): never => {
  throw new ConfigurationError(text)
}

export const positive = (name: string, value: number | undefined): number | undefined =>
  value === undefined || (Number.isFinite(value) && value > 0)
    ? value
    : refuse(`${name} must be a number above 0`)

export const wholeNumber = (
  name: string,
  value: number | undefined,
  { min, max = Infinity }: { readonly min: number; readonly max?: number },
): number | undefined => {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return value
  const end = max === Infinity ? "on" : `to ${max.toLocaleString("en")}`
  return refuse(`${name} must be a whole number from ${min} ${end}`)
}

export const checkProxies = (name: string, proxies: ReadonlyArray<string> = []): void => {
  const [problem] = allowListProblems(proxies)
  if (problem !== undefined) refuse(`${name}: ${problem.message}`)
}

/** The milliseconds of a duration. `min`: in milliseconds. */
export const millisOf = (
  name: string,
  value: Duration.Duration,
  { max = Duration.maxMillis, min = 0 }: { readonly max?: number; readonly min?: number } = {},
): number =>
  Result.getOrElse(Duration.within(value, { min, max }), ({ message }) =>
    refuse(`${name} ${message}`),
  )

/** Runs a function that throws for invalid input. The message of its error must not contain a secret. */
export const attempt = <A>(name: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    return refuse(`${name}: ${error instanceof Error ? error.message : "cannot be used"}`)
  }
}

/** As `attempt`, for an option that is optional. */
export const attemptWith = <A, B>(
  name: string,
  value: A | undefined,
  run: (value: A) => B,
): B | undefined => (value === undefined ? undefined : attempt(name, () => run(value)))
