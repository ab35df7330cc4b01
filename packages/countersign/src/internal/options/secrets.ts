/** Checks the secrets that a host passes. */
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as Redacted from "effect/Redacted"
import type { CountersignOptions } from "../types/options.ts"
import { isProduction, mayServeUsers, refuse } from "./check.ts"

/** Secrets from our documents and examples, which are public. */
const published: ReadonlyArray<string> = [
  "32 characters or more, from a vault",
  "from a vault, 32 characters or more",
  "a secret for tests, long enough and known to all",
  "a secret for tests, and only for tests",
  "a secret of your own, 32 random characters",
  "a secret for development, and for nothing else",
  "a secret that came out of nowhere, alas",
  "at least 32 characters from a secret store",
  "at least 32 characters, from a safe place",
  "at least 32 characters, from a vault",
  "the next secret, of 32 characters or more",
  "the signature secret of the account",
  "the old secret, of 32 characters or more",
]

/** The fewest different characters. Of 32 random hexadecimal digits, only 1 in 20,000 has fewer. */
const minDistinct = 8

const isRepeated = (secret: string): boolean =>
  `${secret}${secret}`.indexOf(secret, 1) < secret.length

const weakness = (secret: string): string | undefined => {
  if (published.includes(secret)) return "this secret stands in the documents; draw your own"
  return new Set(secret).size < minDistinct || isRepeated(secret)
    ? "the secret is easily guessed; draw 32 random characters or more"
    : undefined
}

const refuseWeak = (option: Option, secret: string, options: CountersignOptions): void => {
  const weak =
    isProduction() || (mayServeUsers(options) && published.includes(secret))
      ? weakness(secret)
      : undefined
  if (weak !== undefined) refuse(`${option}: ${weak}`)
}

type Option = "secret" | "numberKeys"

/** Checks a secret of an option. Neither a rejection nor an error message may contain one. */
export const secretOf = (
  option: Option,
  secret: unknown,
  options: CountersignOptions,
): Redacted.Redacted => {
  if (typeof secret !== "string" || secret.length < CodeSecrets.minSecretLength) {
    return refuse(`${option}: a secret has at least ${CodeSecrets.minSecretLength} characters`)
  }
  refuseWeak(option, secret, options)
  return Redacted.make(secret, { label: option })
}

/** Returns the keys of phone numbers, the current one first. */
export const numberKeysOf = (options: CountersignOptions) => {
  const { numberKeys = [] } = options
  const keys = numberKeys.map(({ id, secret }) => {
    if (typeof id !== "string" || id.length < 1 || id.length > 32) {
      return refuse("numberKeys: an id has 1 to 32 characters")
    }
    return { id, secret: secretOf("numberKeys", secret, options) }
  })
  if (new Set(numberKeys.map(({ id }) => id)).size !== numberKeys.length) {
    return refuse("numberKeys: two have the same id")
  }
  return keys.every(({ id }) => /^[\w.-]+$/.test(id))
    ? keys
    : refuse("numberKeys: an id has letters, digits, dots, hyphens and underscores only")
}
