/** The doctor on a database of its own, and what it says. */
import { exitCodes } from "@countersign/cli/ExitCode"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { layerCrypto } from "@countersign/node/Node"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, inject } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { freshDatabase } from "../../../../test/support/freshDatabase.ts"
import { runBare } from "./runCli.ts"

export const acme = OrganizationId("acme")
export const secret = "a-secret-for-tests-long-enough-and-known-to-all"

const Findings = Schema.fromJsonString(
  Schema.Struct({
    problems: Schema.Int,
    findings: Schema.Array(
      Schema.Struct({
        check: Schema.String,
        status: Schema.String,
        message: Schema.String,
        advice: Schema.NullOr(Schema.String),
      }),
    ),
  }),
)

/** What the doctor does not call ok, by the checks; and its exit code. */
export const examine = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  env: Readonly<Record<string, string>> = {},
) {
  const all = { DATABASE_URL: Redacted.value(url), COUNTERSIGN_SECRET: secret, ...env }
  const { exitCode, stdout } = yield* runBare(["doctor", "--json"], { env: all })
  const { findings, problems } = Schema.decodeSync(Findings)(stdout)
  assert.strictEqual(exitCode, problems > 0 ? exitCodes.problems : exitCodes.done)
  for (const { advice, status } of findings) assert.strictEqual(advice === null, status === "ok")
  const wrong = findings.filter(({ status }) => status !== "ok")
  return wrong.map(({ check, message, status }) => `${status} ${check}: ${message}`)
})

/** The findings of every test: its server gives durability up for speed, its role owns the server. */
export const expected = [
  "warning role: The role postgres is a superuser",
  ...["fsync", "full_page_writes", "synchronous_commit"].map(
    (setting) =>
      `problem durability: ${setting} is off, so a power failure may lose money that was booked`,
  ),
  "warning credentials: The environment has the credentials of no gateway",
]

export const withoutExpected = (findings: ReadonlyArray<string>) =>
  findings.filter((finding) => !expected.includes(finding))

export const migrated = Effect.gen(function* () {
  const url = yield* freshDatabase(inject("postgresUrl"))
  const ran = yield* runBare(["migrate"], { env: { DATABASE_URL: Redacted.value(url) } })
  assert.strictEqual(ran.exitCode, exitCodes.done, ran.stderr)
  return url
})

/** Runs statements of another client. */
export const onDatabase = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  ...statements: ReadonlyArray<string>
) {
  yield* Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* Effect.forEach(statements, (statement) => sql.unsafe(statement))
  }).pipe(Effect.provide(PostgresClient.layer({ url })))
})

/** An engine on the database, whose gateway rejects messages that are no codes. */
export const engineOn = (url: Redacted.Redacted, gateway: TestEngine.Options["gateway"] = {}) =>
  TestEngine.layer({
    codeSecrets: [Redacted.make(secret)],
    gateway: {
      behave: ({ purpose }) =>
        purpose === "message" ? { _tag: "Reject", message: "no" } : { _tag: "Deliver" },
      ...gateway,
    },
    store: PostgresStore.layer({ migrate: false }).pipe(
      Layer.provide([PostgresClient.layer({ url }), layerCrypto]),
    ),
  })
