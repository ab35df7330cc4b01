/** Checks the secrets that a host passes. */
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as Redacted from "effect/Redacted"
import type { CountersignOptions, Secret } from "../types/options.ts"
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

const refuseWeak = (option: Option, secret: string, options: CountersignOptions): void => {
  if (published.includes(secret) && mayServeUsers(options)) {
    return refuse(`${option}: this secret stands in the documents; draw your own`)
  }
  if (isProduction(options) && (new Set(secret).size < minDistinct || isRepeated(secret))) {
    return refuse(`${option}: the secret is easily guessed; draw 32 random characters or more`)
  }
}

/** The options that are secrets. */
type Option = "secret" | "database.phoneNumberSecret"

const secretOf = (option: Option, secret: unknown, options: CountersignOptions) => {
  if (typeof secret !== "string" || secret.length < CodeSecrets.minSecretLength) {
    return refuse(`${option}: a secret has at least ${CodeSecrets.minSecretLength} characters`)
  }
  refuseWeak(option, secret, options)
  return Redacted.make(secret, { label: option })
}

/** Checks the secrets of an option. Neither a rejection nor an error message may contain one. */
export const secretsOf = (
  option: Option,
  given: Secret,
  options: CountersignOptions,
): ReadonlyArray<Redacted.Redacted> => {
  const list = typeof given === "string" ? [given] : given
  if (new Set(list).size !== list.length) return refuse(`${option}: two are equal`)
  return list.map((secret) => secretOf(option, secret, options))
}
