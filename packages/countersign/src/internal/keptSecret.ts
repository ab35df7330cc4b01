/**
 * The pepper of a host that configures none, for development. A copy of the folder contains both the secret and
 * the data.
 */
import { minSecretLength } from "@countersign/core/services/Peppers"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigurationError } from "./errors.ts"

/** The default folder of the embedded database. */
export const defaultFolder = ".countersign"

/** Draws 64 random hexadecimal digits. */
export const newSecret = Effect.gen(function* () {
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
export const keptSecret = Effect.fnUntraced(function* (folder: string) {
  const made = yield* newSecret
  const file = join(folder, "pepper")
  return yield* Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (!existsSync(file)) writeNew(file, `${Redacted.value(made)}\n`)
      const secret = readFileSync(file, "utf8").trim()
      if (secret.length >= minSecretLength) return Redacted.make(secret, { label: "pepper" })
      throw new Error(`it has fewer than ${minSecretLength} characters`)
    },
    catch: (cause) =>
      new ConfigurationError(
        `pepper: the file ${file} cannot be used: ${cause instanceof Error ? cause.message : "unknown"}`,
      ),
  })
})
