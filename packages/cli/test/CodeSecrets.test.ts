import { exitCodes } from "@countersign/cli/ExitCode"
import { layerCrypto } from "@countersign/node/Node"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, inject } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { freshDatabase } from "../../../test/support/freshDatabase.ts"
import { runBare } from "./support/runCli.ts"
import { test } from "../../../test/support/testsOver.ts"

const secret = "a-secret-for-tests-long-enough-and-known-to-all"

describe("secret", () => {
  test.live(
    "lists the secrets of a database, refuses others, and forgets a lost one",
    function* () {
      const url = yield* freshDatabase(inject("postgresUrl"))
      const started = (secret: string) =>
        Effect.scoped(
          Layer.build(
            Layer.fresh(
              TestEngine.layer({
                running: true,
                codeSecrets: [Redacted.make(secret)],
                store: PostgresStore.layer().pipe(
                  Layer.provide([PostgresClient.layer({ url }), layerCrypto]),
                ),
              }),
            ),
          ),
        )
      const other = `other-${secret}`
      const env = { DATABASE_URL: Redacted.value(url), COUNTERSIGN_SECRET: other }
      yield* started(secret)
      const listed = yield* runBare(["secret", "list"], { env })
      assert.match(listed.stdout, /^ID .*\n[\w-]{12} .* yes$/)
      const refused = yield* runBare(["org", "list"], { env })
      assert.strictEqual(refused.exitCode, exitCodes.failed)
      assert.match(refused.stderr, /secret: this database is used with the secret [\w-]{12}, and/)
      assert.notInclude(refused.stderr, secret)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(started(other))))
      const forgot = yield* runBare(["secret", "forget", "--yes"], { env })
      assert.match(forgot.stdout, /^Forgotten secrets: 1\./)
      yield* started(other)
      assert.strictEqual((yield* runBare(["org", "list"], { env })).exitCode, exitCodes.done)
    },
  )
})
