/**
 * F27: nodes of this build and of an earlier one on one database, while they are replaced and a migration of a later
 * build runs. A repeat gets the first answer from either build.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { assert, test } from "vitest"
import { nextMigration } from "../../packages/postgres/test/fixtures/nextMigration.ts"
import { runCampaign } from "../support/campaign.ts"
import { eventually } from "../support/eventually.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { startPostgres } from "../support/PostgresServer.ts"
import { type Answer, at, type Quickstart, startQuickstart } from "../support/Quickstart.ts"
import { temporaryScope } from "../support/temporaryScope.ts"
import { mostMillis, settings } from "./faults/campaigns.ts"
import { checkOut, hasCommit } from "./faults/earlierBuild.ts"
import { onServer } from "../../packages/postgres/test/fixtures/onServer.ts"
import { ledgerProblems } from "./faults/ledger.ts"
import { keyOf, phoneNumberOf } from "./faults/Load.ts"

/** The build before calls were made of steps. */
const earlier = "07bd1385"

const clients = 6

/** Requests between two changes of the nodes. */
const requests = 60

const env = {
  DEMO_BALANCE: "100000",
  GATEWAY_TIMEOUT_MS: "500",
  SETTLE_AFTER_SECONDS: "3",
  COUNTERSIGN_SECRET: "p".repeat(40),
}

/** Clients that send each message by one node, and ask another one again. */
class Clients {
  nodes: ReadonlyArray<Quickstart> = []
  readonly sent = new Map<number, unknown>()
  #next = 0
  #isStopped = false

  readonly #send = (id: number): Promise<Answer> => {
    const node = this.nodes[Math.floor(Math.random() * this.nodes.length)]
    if (node === undefined) return Promise.reject(new Error("There is no node"))
    const key = keyOf({ id })
    return node.call("/messages", {
      headers: { "idempotency-key": key },
      body: { to: phoneNumberOf({ id }), message: key },
    })
  }

  /** A node that stops breaks connections off. Another one has the answer. */
  readonly #answer = (id: number) =>
    eventually(async () => {
      const { body, status } = await this.#send(id)
      assert.strictEqual(status, 200)
      return at(body, "data", "gateway_id")
    })

  readonly #work = async (): Promise<void> => {
    while (!this.#isStopped) {
      const id = this.#next++
      const first = await this.#answer(id)
      assert.strictEqual(await this.#answer(id), first)
      this.sent.set(id, first)
    }
  }

  async run<A>(use: () => Promise<A>): Promise<A> {
    this.#isStopped = false
    const work = Promise.all(Array.from({ length: clients }, this.#work))
    const used = use().finally(() => {
      this.#isStopped = true
    })
    const [result] = await Promise.all([used, work])
    return result
  }

  readonly more = (): Promise<void> => {
    const target = this.sent.size + requests
    return eventually(() => assert.isAtLeast(this.sent.size, target), { withinMillis: 120_000 })
  }
}

const exchange = async (url: string, build: string): Promise<number> => {
  const options = { env: { ...env, DATABASE_URL: url } }
  const load = new Clients()
  const old = await startQuickstart({ ...options, build })
  const started = [old]
  try {
    load.nodes = [old]
    await load.run(async () => {
      await load.more()
      const next = await startQuickstart(options)
      started.push(next)
      load.nodes = [old, next]
      await load.more()
      const migrate = ["BEGIN", ...nextMigration.statements("countersign"), "COMMIT"]
      await Effect.runPromise(onServer(url, "SET lock_timeout = '5s'", ...migrate))
      await load.more()
      load.nodes = [next]
      await old.kill("SIGTERM")
      await load.more()
      const again = await startQuickstart({ ...options, build })
      started.push(again)
      load.nodes = [again, next]
      await load.more()
    })
    await eventually(async () =>
      assert.deepStrictEqual(await Effect.runPromise(ledgerProblems(url)), []),
    )
    const rows = await Effect.runPromise(
      onServer(url, "SELECT id, text FROM countersign.messages WHERE status = 'delivered'"),
    )
    const inLog = new Map(rows.map(({ id, text }) => [String(text), String(id)]))
    for (const [id] of load.sent) assert.isDefined(inLog.get(keyOf({ id })))
    assert.strictEqual(rows.length, load.sent.size)
    return load.sent.size
  } finally {
    await Promise.all(started.map((node) => node.stop()))
  }
}

test(
  "faults-builds: nodes of two builds answer alike, and lose and repeat nothing",
  async (context) => {
    if (!hasCommit(earlier)) return context.skip(`The history does not have ${earlier}`)
    const build = checkOut(earlier)
    const server = await startPostgres({ fsync: false, settings })
    const scope = temporaryScope()
    try {
      await runCampaign({
        name: "faults-builds",
        count: 20,
        turn: 1,
        run: async () => {
          const url = Redacted.value(await scope.run(freshDatabase(server.url)))
          return { exchanges: 4, requests: await exchange(url, build.folder) }
        },
      })
    } finally {
      await scope.close()
      await server.stop()
      build.remove()
    }
  },
  mostMillis,
)
