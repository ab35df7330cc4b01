/**
 * The folder that outlives a restart: a secret, the key of proofs, the dashboard's
 * password, the keys, and the database if there is no server. One process at a time
 * may have it.
 */
import { minSecretLength } from "@countersign/core/engine/CodeSecrets"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { generateKeyPairSync, randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"

/** What the sign-in of the dashboard requires. */
const minPasswordLength = 12

/** What `quickstart.json` says, for people and for tests. */
export const Ready = Schema.Struct({
  baseUrl: Schema.String,
  inboxUrl: Schema.String,
  dashboardUrl: Schema.String,
  dashboardPassword: Schema.String,
  organizations: Schema.Array(Schema.Struct({ name: Schema.String, apiKey: Schema.String })),
})

export type Ready = typeof Ready.Type

export interface DataFolder {
  /** Absolute. */
  readonly path: string
  /** Where `Ready` is kept. */
  readonly readyFile: string
  /** What an earlier start wrote down; `undefined` if no readable file exists. */
  readonly ready: Ready | undefined
  readonly writeReady: (ready: Ready) => Effect.Effect<void, DataFolderUnusable>
  /** Gets or makes the secret of this folder. */
  readonly secret: Effect.Effect<Redacted.Redacted, DataFolderUnusable>
  /** Gets or makes the private key that signs proofs, in PEM. */
  readonly proofKey: Effect.Effect<Redacted.Redacted, DataFolderUnusable>
  /** Gets or makes the password of the dashboard. */
  readonly dashboardPassword: Effect.Effect<Redacted.Redacted, DataFolderUnusable>
}

/** Another process has the folder. */
export class DataFolderInUse extends Schema.TaggedError<DataFolderInUse>()("DataFolderInUse", {
  path: Schema.String,
}) {
  override get message(): string {
    return `The data folder ${this.path} is in use by another process. Stop that one, or set DATA_DIR to a folder of this one's own.`
  }
}

/** The folder cannot be made, read or written. */
export class DataFolderUnusable extends Schema.TaggedError<DataFolderUnusable>()(
  "DataFolderUnusable",
  { path: Schema.String, reason: Schema.String },
) {
  override get message(): string {
    return `The data folder ${this.path} cannot be used: ${this.reason}`
  }
}

const attempt = <A>(path: string, f: () => A): Effect.Effect<A, DataFolderUnusable> =>
  Effect.try({
    try: f,
    catch: (cause) =>
      new DataFolderUnusable({
        path,
        reason: cause instanceof Error ? cause.message : String(cause),
      }),
  })

/** Whole or not at all, also when the process or the machine stops; for the owner's eyes only. */
const writeSecret = (file: string, text: string): void => {
  const unfinished = `${file}.unfinished`
  Fs.rmSync(unfinished, { force: true })
  Fs.writeFileSync(unfinished, text, { mode: 0o600, flag: "wx", flush: true })
  Fs.renameSync(unfinished, file)
}

const readIfThere = (file: string): string | undefined =>
  Fs.existsSync(file) ? Fs.readFileSync(file, "utf8") : undefined

/**
 * Node has no call for file locks, but its SQLite takes one for a transaction.
 * The kernel drops it with the process, so it can never be stale.
 */
const lock = (
  path: string,
): Effect.Effect<void, DataFolderInUse | DataFolderUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.flatMap(
      attempt(path, () => {
        // Two processes that start in the same instant can see each other's half of the lock.
        const database = new DatabaseSync(Path.join(path, "quickstart.lock"), { timeout: 500 })
        try {
          database.exec("BEGIN EXCLUSIVE")
          return database
        } catch (error) {
          database.close()
          if (error instanceof Error && /locked|busy/.test(error.message)) return undefined
          throw error
        }
      }),
      (database) =>
        database === undefined
          ? Effect.fail(new DataFolderInUse({ path }))
          : Effect.succeed(database),
    ),
    (database) => Effect.sync(() => database.close()),
  ).pipe(Effect.asVoid)

const randomText = (bytes: number): string => randomBytes(bytes).toString("base64url")

const newProofKey = (): string =>
  generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey.trim()

const parseReady = Schema.decodeUnknownOption(Schema.fromJsonString(Ready))

/** Takes the folder until the scope closes. It is made, with mode 0700, when it does not exist. */
export const open = Effect.fnUntraced(function* (
  dataDir: string,
): Effect.fn.Return<DataFolder, DataFolderInUse | DataFolderUnusable, Scope.Scope> {
  const path = Path.resolve(dataDir)
  yield* attempt(path, () => Fs.mkdirSync(path, { recursive: true, mode: 0o700 }))
  yield* lock(path)
  const readyFile = Path.join(path, "quickstart.json")
  const readyText = yield* attempt(path, () => readIfThere(readyFile))
  /** Gets or makes the secret in a file. */
  const secretIn = (name: string, minLength: number, make: () => string) => {
    const file = Path.join(path, name)
    return attempt(path, () => {
      const kept = readIfThere(file)?.trim()
      if (kept !== undefined) {
        if (kept.length >= minLength) return kept
        throw new Error(`${file} has fewer than ${minLength} characters`)
      }
      const made = make()
      writeSecret(file, `${made}\n`)
      return made
    }).pipe(Effect.map((secret) => Redacted.make(secret, { label: name })))
  }
  return {
    path,
    readyFile,
    ready: Option.getOrUndefined(parseReady(readyText)),
    writeReady: (ready) =>
      attempt(path, () => writeSecret(readyFile, `${JSON.stringify(ready, undefined, 2)}\n`)),
    secret: secretIn("secret", minSecretLength, () => randomText(32)),
    // The signer examines the key itself.
    proofKey: secretIn("proof-key", 1, newProofKey),
    dashboardPassword: secretIn("dashboard-password", minPasswordLength, () => randomText(15)),
  }
})
