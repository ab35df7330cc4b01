/**
 * 10,000 secrets of a service that encrypts phone numbers, searched in everything that it writes, in every form; and
 * 10,000 digests of codes of four digits, for which a thief of the database tries all codes.
 */
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { SimulatedGateway } from "@countersign/core/adapters/SimulatedGateway"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Samples from "@countersign/testing/Samples"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { runCampaign } from "../support/campaign.ts"
import { filesBelow, finderOf } from "../support/canaries.ts"
import { dumpOf } from "../support/dump.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { observe } from "../support/secretService.ts"
import { crack, secretsInRow, stolenRows } from "../support/stolenCodes.ts"
import { temporaryScope } from "../support/temporaryScope.ts"

/** Sends codes of four digits. Returns them by the ids of their requests. */
const sendCodes = (url: Redacted.Redacted, count: number) =>
  Effect.gen(function* () {
    const { organization } = yield* TestEngine.open({ balance: Samples.money("1000000") })
    const { send } = yield* Verifications
    const sent = yield* Effect.forEach(
      Array.from({ length: count }, (_, index) => Samples.phoneNumber(index)),
      (phoneNumber) => send({ organization, phoneNumber, codeLength: 4 }),
      { concurrency: 64 },
    )
    const journal = yield* SimulatedGateway.use((_) => _.journal())
    const codes = new Map(journal.map(({ code, phoneNumber }) => [phoneNumber, code]))
    return new Map<string, string | undefined>(
      sent.map(({ phoneNumber, requestId }) => [requestId, codes.get(phoneNumber)]),
    )
  }).pipe(
    Effect.provide(
      TestEngine.layer({
        gateway: { journalSize: count },
        store: PostgresStore.layer().pipe(
          Layer.provide([PostgresClient.layer({ url }), TestCrypto.layerSecureRandom(1)]),
        ),
      }),
    ),
  )

/** Secrets of one verification: a code, a number, a client and an idempotency key. */
const perVerification = 4

describe("Secrets", () => {
  const scope = temporaryScope()
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ fsync: false, settings: { log_statement: "all" } })
  })
  afterAll(async () => {
    await scope.close()
    await server.stop()
  })

  it("secrets: they are found nowhere", { timeout: 3_600_000 }, async () => {
    await runCampaign({
      name: "secrets",
      count: 10_000,
      turn: 10_000,
      run: async (first, end) => {
        const url = await scope.run(freshDatabase(server.url))
        const observed = await Effect.runPromise(observe(url, (end - first) / perVerification))
        const { answers, others, phoneNumbers, secrets, shownOnce } = observed
        const { problems } = finderOf([...secrets, ...phoneNumbers, ...shownOnce])
        const rows = await dumpOf(Redacted.value(url))
        const files = filesBelow(server.dataDir)
        const log = join(dirname(server.dataDir), "log")
        const read = (written: string) => () => written
        const groups = [
          [{ name: "the dump", read: read(rows) }],
          files.filter(({ name }) => name.includes("pg_wal")),
          files.filter(({ name }) => !name.includes("pg_wal")),
          [{ name: log, read: () => readFileSync(log) }],
          ...Object.entries(others).map(([name, written]) => [{ name, read: read(written) }]),
        ]
        for (const places of groups) assert.deepStrictEqual(problems(places), [])
        const inAnswers = [{ name: "an answer", read: read(answers) }]
        assert.deepStrictEqual(finderOf(secrets).problems(inAnswers), [])
        return {
          secrets: secrets.length + phoneNumbers.length + shownOnce.length,
          places: groups.length + 1,
          files: files.length,
          megabytes: Math.round(
            groups.flat().reduce((sum, place) => sum + place.read().length, 0) / 2 ** 20,
          ),
        }
      },
    })
  })

  it(
    "stolen-codes: secrets of a dump reveal all codes with the secret, and none without",
    { timeout: 7_200_000 },
    async () => {
      await runCampaign({
        name: "stolen-codes",
        count: 10_000,
        turn: 1_000,
        run: async (first, end) => {
          const url = await scope.run(freshDatabase(server.url))
          const codes = await Effect.runPromise(sendCodes(url, end - first))
          const rows = await stolenRows(Redacted.value(url))
          assert.lengthOf(rows, end - first)
          for (const row of rows) {
            assert.strictEqual(
              crack(row, Redacted.value(TestEngine.codeSecret)),
              codes.get(row.requestId),
            )
            for (const guess of secretsInRow(row)) assert.isUndefined(crack(row, guess))
          }
          return { rows: rows.length, "codes tried without the secret": rows.length * 4 * 10_000 }
        },
      })
    },
  )
})
