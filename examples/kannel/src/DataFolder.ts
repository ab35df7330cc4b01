/**
 * The folder for what outlives a restart: the database, the secret, and the key of the organization.
 */
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** What `kannel.json` says: how the service is called, and with what. */
export const Ready = Schema.Struct({
  baseUrl: Schema.String,
  organization: Schema.String,
  apiKey: Schema.String,
})
export type Ready = typeof Ready.Type

/** The folder cannot be made, read or written. */
export class DataFolderUnusable extends Schema.TaggedError<DataFolderUnusable>()(
  "DataFolderUnusable",
  { reason: Schema.String },
) {
  override get message(): string {
    return `the folder that DATA_DIR names cannot be used: ${this.reason}`
  }
}

/** What codes would be hashed with could be guessed. */
export class SecretTooShort extends Schema.TaggedError<SecretTooShort>()("SecretTooShort", {
  place: Schema.String,
}) {
  override get message(): string {
    return `${this.place} has to have at least ${CodeSecrets.minSecretLength} characters`
  }
}

const attempt = <A>(f: () => A): Effect.Effect<A, DataFolderUnusable> =>
  Effect.try({ try: f, catch: (cause) => new DataFolderUnusable({ reason: String(cause) }) })

/** Whole or not at all, and for the owner's eyes only. */
const writeSecret = (file: string, text: string): void => {
  const unfinished = `${file}.unfinished`
  writeFileSync(unfinished, text, { mode: 0o600, flush: true })
  renameSync(unfinished, file)
}

const parseReady = Schema.decodeUnknownOption(Schema.fromJsonString(Ready))

export class DataFolder extends Context.Service<
  DataFolder,
  {
    /** Absolute. */
    readonly readyFile: string
    /** The folder of the database, which one process at a time may have. */
    readonly database: string
    /** What codes are hashed with: `COUNTERSIGN_SECRET`, or what an earlier start has made. */
    readonly secrets: Layer.Layer<CodeSecrets.CodeSecrets>
    /** What an earlier start wrote down. */
    readonly ready: Ready | undefined
    readonly writeReady: (ready: Ready) => Effect.Effect<void, DataFolderUnusable>
  }
>()("kannel/DataFolder") {
  static readonly layer = Layer.effect(
    DataFolder,
    Effect.gen(function* () {
      const folder = resolve(yield* Config.withDefault(Config.String("DATA_DIR"), ".countersign"))
      const given = yield* Config.option(Config.Redacted("COUNTERSIGN_SECRET"))
      const readyFile = join(folder, "kannel.json")
      const secretFile = join(folder, "secret")
      const kept = attempt(() => {
        if (!existsSync(secretFile)) writeSecret(secretFile, randomBytes(32).toString("base64url"))
        return Redacted.make(readFileSync(secretFile, "utf8"), { label: "secret" })
      })
      yield* attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))
      const secret = Option.isSome(given) ? given.value : yield* kept
      if (Redacted.value(secret).length < CodeSecrets.minSecretLength) {
        return yield* new SecretTooShort({
          place: Option.isSome(given) ? "COUNTERSIGN_SECRET" : secretFile,
        })
      }
      const ready = yield* attempt(() =>
        existsSync(readyFile) ? parseReady(readFileSync(readyFile, "utf8")) : Option.none(),
      )
      return {
        readyFile,
        database: join(folder, "database"),
        secrets: CodeSecrets.layer(secret),
        ready: Option.getOrUndefined(ready),
        writeReady: (ready) =>
          attempt(() => writeSecret(readyFile, `${JSON.stringify(ready, undefined, 2)}\n`)),
      }
    }),
  )
}
