import { ConfigurationError } from "../errors/errors.ts"

export const isProduction = (): boolean => process.env["NODE_ENV"] === "production"

export const refuse = (text: string): never => {
  throw new ConfigurationError(text)
}

export const positive = (name: string, value: number | undefined): number | undefined =>
  value === undefined || (Number.isFinite(value) && value > 0)
    ? value
    : refuse(`${name} must be a number above 0`)

/** Runs a function that throws for invalid input. The message of its error must not contain a secret. */
export const attempt = <A>(name: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    return refuse(`${name}: ${error instanceof Error ? error.message : "cannot be used"}`)
  }
}
