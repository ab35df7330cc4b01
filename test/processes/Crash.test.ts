/**
 * SIGKILL under load. What was answered is there afterwards, what was pending can still be checked, and
 * no price stays held beyond the settlement deadline.
 */
import { Store } from "@countersign/core/ports/Store"
import * as PgliteClient from "@countersign/postgres/PgliteClient"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Invariants from "@countersign/testing/Invariants"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { at, type Quickstart, startQuickstart } from "../support/Quickstart.ts"
import { temporaryScope } from "../support/temporaryScope.ts"

const balance = 10_000
const workers = 16
const answersBeforeTheKill = 250

const common = {
  DEMO_BALANCE: String(balance),
  GATEWAY_TIMEOUT_MS: "500",
  SETTLE_AFTER_SECONDS: "3",
  COUNTERSIGN_SECRET: "p".repeat(40),
}

interface Sent {
  readonly number: string
  readonly requestId: string
}

const silent = "+8801555000104"

/** Asks for a code. The number is the idempotency key as well. */
const ask = (node: Quickstart, number: string) =>
  node.call("/verify", {
    body: { phone_number: number },
    ...(number === silent ? {} : { headers: { "idempotency-key": `login ${number}` } }),
  })

/** The gateway never answers these: they are in flight at the kill. */
const isSilent = (rank: number): boolean => rank % 10 === 0

const numberOf = (rank: number): string => `+880171${String(2_000_000 + rank)}`

/**
 * Sends codes to one number after another until the process is gone. Every tenth gateway call hangs. Kills the
 * process after an answer whose worker asks with an idempotency key next, so that this call stays unanswered.
 */
const loadAndKill = async (node: Quickstart) => {
  const sent: Array<Sent> = []
  const asked: Array<string> = []
  let rank = 0
  const work = async (): Promise<void> => {
    for (;;) {
      const mine = rank++
      const number = isSilent(mine) ? silent : numberOf(mine)
      if (number !== silent) asked.push(number)
      const answer = await ask(node, number)
      if (answer.status === 200 && number !== silent) {
        sent.push({ number, requestId: String(at(answer.body, "data", "request_id")) })
        if (sent.length >= answersBeforeTheKill && !isSilent(rank)) void node.kill("SIGKILL")
      }
    }
  }
  await Promise.allSettled(Array.from({ length: workers }, work))
  return { sent, asked }
}

interface LogEntry {
  readonly recipient: string
  readonly status: string
  readonly price: string
}

const wholeLog = async (node: Quickstart): Promise<ReadonlyArray<LogEntry>> => {
  const entries: Array<LogEntry> = []
  for (let page = 1; ; page++) {
    const { body } = await node.call(`/messages?limit=200&page=${page}`)
    const found = at(body, "data")
    if (!Array.isArray(found) || found.length === 0) return entries
    for (const entry of found) {
      entries.push({
        recipient: String(at(entry, "recipient")),
        status: String(at(entry, "status")),
        price: String(at(entry, "price")),
      })
    }
  }
}

/** Reads the rows of the organization under load, and counts again what other rows state about them. */
const recount = Effect.gen(function* () {
  const store = yield* Store
  const ids = yield* store.organizations(undefined, 100)
  const found = yield* Effect.forEach(ids, (id) => Invariants.read(store, id))
  const busy = found.filter((one) => (one?.messages.length ?? 0) >= answersBeforeTheKill)
  assert.lengthOf(busy, 1)
  for (const snapshot of found) {
    if (snapshot === undefined) return assert.fail("An organization is lost")
    assert.deepStrictEqual(Invariants.problems(snapshot), [])
    const options = { limit: 100, examine: 500, phoneNumbers: 20 }
    assert.deepStrictEqual(yield* Invariants.searchProblems(store, snapshot, options), [])
  }
})

const setups = [
  { name: "the embedded store", database: undefined },
  { name: "PostgreSQL", database: () => freshDatabase(inject("postgresUrl")) },
]

for (const { database, name } of setups) {
  describe(`SIGKILL under load on ${name}`, () => {
    const scope = temporaryScope()
    const dataDir = mkdtempSync(join(tmpdir(), "countersign-crash-"))
    let env: Record<string, string> = common
    let sent: ReadonlyArray<Sent> = []
    let asked: ReadonlyArray<string> = []
    let early: Sent & { readonly code: string } = { number: "", requestId: "", code: "" }
    let after: Quickstart | undefined

    beforeAll(async () => {
      if (database !== undefined) {
        env = { ...common, DATABASE_URL: Redacted.value(await scope.run(database())) }
      }
      const before = await startQuickstart({ dataDir, env })
      early = await sendAndRead(before, "+8801712999999")
      ;({ asked, sent } = await loadAndKill(before))
      after = await startQuickstart({ dataDir, env })
    })
    afterAll(async () => {
      await after?.stop()
      rmSync(dataDir, { recursive: true, force: true })
      await scope.close()
    })

    const restarted = (): Quickstart => {
      assert.isDefined(after)
      return after
    }

    it("every answered request is in the log", async () => {
      const recipients = new Set((await wholeLog(restarted())).map(({ recipient }) => recipient))
      const bare = (number: string) => number.replace("+", "")
      assert.isAtLeast(sent.length, answersBeforeTheKill)
      assert.deepStrictEqual(
        sent.filter(({ number }) => !recipients.has(number) && !recipients.has(bare(number))),
        [],
      )
    })

    it("a pending verification accepts its code, and counts wrong ones", async () => {
      const { call } = restarted()
      const right = await call("/verify/check", {
        body: { request_id: early.requestId, code: early.code },
      })
      const wrong = await call("/verify/check", {
        body: { request_id: sent.at(-1)?.requestId, code: "wrong" },
      })
      assert.strictEqual(right.status, 200)
      assert.strictEqual(at(wrong.body, "data", "attempts_remaining"), 2)
    })

    it("a repeat under its idempotency key gets the first answer, and sends nothing twice", async () => {
      const unanswered = asked.filter((number) => !sent.some((one) => one.number === number))
      assert.isNotEmpty(unanswered)
      for (const { number, requestId } of sent.slice(-20)) {
        const { body, status } = await ask(restarted(), number)
        assert.deepStrictEqual([status, at(body, "data", "request_id")], [200, requestId])
      }
      for (const number of unanswered) {
        const first = await eventually(
          async () => {
            const answer = await ask(restarted(), number)
            assert.strictEqual(answer.status, 200)
            return answer
          },
          { withinMillis: 20_000 },
        )
        assert.deepStrictEqual((await ask(restarted(), number)).body, first.body)
      }
      const recipients = (await wholeLog(restarted())).map(({ recipient }) => recipient)
      const codes = recipients.filter((recipient) => recipient !== silent.replace("+", ""))
      assert.lengthOf(codes, new Set(codes).size)
    })

    it("no charge stays held past the settlement deadline", async () => {
      await eventually(
        async () => {
          const log = await wholeLog(restarted())
          const open = log.filter(({ price, status }) => status !== "delivered" && price !== "0.00")
          assert.deepStrictEqual(open, [])
          const delivered = log.filter(({ status }) => status === "delivered").length
          const { body } = await restarted().call("/balance")
          assert.strictEqual(at(body, "data", "balance"), balance - delivered * 0.5)
        },
        { withinMillis: 20_000 },
      )
    })

    it("events, totals, the audit and searches agree with a recount of the rows", async () => {
      await after?.stop()
      const url = env["DATABASE_URL"]
      const client =
        url === undefined
          ? PgliteClient.layer({ dataDir: join(dataDir, "database") })
          : PostgresClient.layer({ url: Redacted.make(url) })
      const store = PostgresStore.layer().pipe(
        Layer.provide(client),
        Layer.provide(SecureRandom.layerWebCrypto),
      )
      await scope.run(Effect.provide(recount, store))
    })
  })
}

const sendAndRead = async (node: Quickstart, number: string) => {
  const { body } = await node.call("/verify", { body: { phone_number: number } })
  const inbox = await fetch(`${node.inboxUrl}/messages?to=${encodeURIComponent(number)}`)
  const text = String(at(await inbox.json(), 0, "text"))
  return { number, requestId: String(at(body, "data", "request_id")), code: text.slice(0, 6) }
}
