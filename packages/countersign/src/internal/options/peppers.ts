/**
 * The secrets for hashing codes: those of the host, or a generated one in development. A copy of the folder with
 * a generated secret contains both the secret and the data.
 */
import * as Peppers from "@countersign/core/engine/Peppers"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigurationError } from "../errors/errors.ts"
import type { CountersignOptions } from "../types/options.ts"
import { isProduction, refuse } from "./check.ts"
import { secretOf } from "./secrets.ts"

export const defaultFolder = ".countersign"

const newSecret = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return Redacted.make(Hex.encode(yield* random.randomBytes(32)), { label: "pepper" })
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

/** Reads the file `pepper` of a folder. Creates the folder and the file if they do not exist. */
const keptSecret = Effect.fnUntraced(function* (folder: string) {
  const made = yield* newSecret
  const file = join(folder, "pepper")
  return yield* Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (!existsSync(file)) writeNew(file, `${Redacted.value(made)}\n`)
      const secret = readFileSync(file, "utf8").trim()
      if (secret.length >= Peppers.minSecretLength)
        return Redacted.make(secret, { label: "pepper" })
      throw new Error(`it has fewer than ${Peppers.minSecretLength} characters`)
    },
    catch: (cause) =>
      new ConfigurationError(
        `pepper: the file ${file} cannot be used: ${cause instanceof Error ? cause.message : "unknown"}`,
      ),
  })
})

/** Creates a pepper in development, if one process has the database to itself. */
const madePepper = ({ database, dataDir = defaultFolder }: CountersignOptions) => {
  const draw = "32 random characters or more, the same for all processes (openssl rand -hex 32)"
  if (isProduction()) return refuse(`pepper is missing: in production set ${draw}`)
  if (database !== undefined && database !== "memory") {
    return refuse(`pepper is missing: with a database server set ${draw}`)
  }
  return Layer.unwrap(
    Effect.map(database === undefined ? keptSecret(dataDir) : newSecret, (secret) =>
      Peppers.layer(secret),
    ),
  )
}

/** Returns the peppers. Neither a rejection nor an error message may contain a secret. */
export const peppers = (options: CountersignOptions) => {
  const { pepper: given } = options
  if (given === undefined) return madePepper(options)
  const list = typeof given === "string" ? [given] : given
  if (new Set(list).size !== list.length) return refuse("pepper: two are equal")
  const [first, ...others] = list.map((secret) => secretOf("pepper", secret, options))
  return first === undefined
    ? refuse("pepper: there has to be one")
    : Peppers.layer(first, ...others)
}
