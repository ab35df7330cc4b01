/**
 * Refuses what cannot be meant.
 */
import { ConfigurationError } from "./errors.ts"

export const refuse = (text: string): never => {
  throw new ConfigurationError(text)
}

/** A number above 0, or none. */
export const positive = (name: string, value: number | undefined): number | undefined =>
  value === undefined || (Number.isFinite(value) && value > 0)
    ? value
    : refuse(`${name} must be a number above 0`)

/** Runs what throws for input that makes no sense. Its sentence must not have a secret in it. */
export const attempt = <A>(name: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    return refuse(`${name}: ${error instanceof Error ? error.message : "cannot be used"}`)
  }
}
