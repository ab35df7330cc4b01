/**
 * The secrets of a host, or a generated one in development. A copy of the folder with a generated secret contains both
 * the secret and the data.
 */
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigurationError } from "../errors/errors.ts"
import type { CountersignOptions, Secret } from "../types/options.ts"
import { isProduction, mayServeUsers, refuse } from "./check.ts"
import type { Place } from "./database.ts"

/** Secrets from our documents and examples, which are public. */
const published: ReadonlyArray<string> = [
  "a secret for tests, long enough and known to all",
  "a secret for tests, and only for tests",
  "a secret for development, and for nothing else",
  "a secret that came out of nowhere, alas",
  "at least 32 characters, from a vault",
  "the next secret, of 32 characters or more",
  "the old secret, of 32 characters or more",
]

/** The fewest different characters. Of 32 random hexadecimal digits, only 1 in 20,000 has fewer. */
const minDistinct = 8

const isRepeated = (secret: string): boolean =>
  `${secret}${secret}`.indexOf(secret, 1) < secret.length

type Option = "secret" | "database.phoneNumberSecret" | "admin.token"

const secretOf = (option: Option, secret: unknown, options: CountersignOptions) => {
  if (typeof secret !== "string" || secret.length < CodeSecrets.minSecretLength) {
    return refuse(`${option}: a secret has at least ${CodeSecrets.minSecretLength} characters`)
  }
  if (published.includes(secret) && mayServeUsers(options)) {
    return refuse(`${option}: this secret stands in the documents; draw your own`)
  }
  if (isProduction(options) && (new Set(secret).size < minDistinct || isRepeated(secret))) {
    return refuse(`${option}: the secret is easily guessed; draw 32 random characters or more`)
  }
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

const newSecret = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return Redacted.make(Hex.encode(yield* random.randomBytes(32)), { label: "secret" })
})

/** Writes the whole file or nothing. Does not overwrite an existing file. */
const writeNew = (file: string, text: string): void => {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text, { mode: 0o600, flush: true })
  try {
    linkSync(unfinished, file)
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    rmSync(unfinished)
  }
}

/** Reads the file `secret` of a folder. Creates the folder and the file if they do not exist. */
const keptSecret = Effect.fnUntraced(function* (folder: string) {
  const made = yield* newSecret
  const file = join(folder, "secret")
  return yield* Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (!existsSync(file)) writeNew(file, `${Redacted.value(made)}\n`)
      const secret = readFileSync(file, "utf8").trim()
      if (secret.length >= CodeSecrets.minSecretLength)
        return Redacted.make(secret, { label: "secret" })
      throw new Error(`it has fewer than ${CodeSecrets.minSecretLength} characters`)
    },
    catch: (cause) =>
      new ConfigurationError(
        `secret: the file ${file} cannot be used: ${cause instanceof Error ? cause.message : "unknown"}`,
      ),
  })
})

/** Creates a secret in development, if one process has the database to itself. */
const madeSecret = (options: CountersignOptions, place: Place) => {
  const draw = "32 random characters or more, the same for all processes (openssl rand -hex 32)"
  if (isProduction(options)) return refuse(`secret is missing: in production set ${draw}`)
  if (place.kind === "server" || place.kind === "pool") {
    return refuse(`secret is missing: with a database ${place.kind} set ${draw}`)
  }
  return Layer.unwrap(
    Effect.map(place.kind === "folder" ? keptSecret(place.folder) : newSecret, (secret) =>
      CodeSecrets.layer(secret),
    ),
  )
}

/** Returns the secrets of codes. Neither a rejection nor an error message may contain one. */
export const codeSecrets = (options: CountersignOptions, place: Place) => {
  if (options.secret === undefined) return madeSecret(options, place)
  const [first, ...others] = secretsOf("secret", options.secret, options)
  return first === undefined
    ? refuse("secret: there has to be one")
    : CodeSecrets.layer(first, ...others)
}
