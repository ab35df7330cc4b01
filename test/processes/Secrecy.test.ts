/**
 * No code, no key, no secret, and neither a name of a client nor an idempotency key is found in anything that the
 * service writes, in any form; no phone number is found if phone numbers are encrypted. A marker that is written on
 * purpose, in every form, shows that each search would find one.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Canary, filesBelow, finderOf, marker, markerText } from "../support/canaries.ts"
import { dumpOf } from "../support/dump.ts"
import { type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { eventually } from "../support/eventually.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { at, type Quickstart, startQuickstart } from "../support/Quickstart.ts"
import { observe, type Observed } from "../support/secretService.ts"
import { crack, secretsInRow, stolenRows } from "../support/stolenCodes.ts"
import { temporaryScope } from "../support/temporaryScope.ts"

const secret = "secret-secret-secret-secret-secret-42"
const verifications = 25
const reported = "+8801555000103"

/** Sends a code, and reads it in the inbox. */
const send = async (node: Quickstart, body: { readonly phone_number: string }, key: string) => {
  const sent = await node.call("/verify", { body, headers: { "idempotency-key": key } })
  const to = encodeURIComponent(body.phone_number)
  const inbox = await fetch(`${node.inboxUrl}/messages?to=${to}`)
  const code = /(?<!\d)(\d{10}|\d{4})(?!\d)/.exec(String(at(await inbox.json(), 0, "text")))?.[0]
  assert.isDefined(code)
  return { code: code ?? "", request_id: String(at(sent.body, "data", "request_id")) }
}

/** Sends codes of ten digits, which nothing else looks like by chance; checks some right, some wrong. */
const exercise = async (node: Quickstart): Promise<ReadonlyArray<Canary>> => {
  const secrets: Array<Canary> = [{ what: "the secret", text: secret }]
  for (let rank = 0; rank < verifications; rank++) {
    const client = `the device of visitor ${rank}`
    const key = `the idempotency key ${rank}`
    const headers = { "idempotency-key": key }
    // The last is reported on, a second later, by a vendor that quotes the number and the text.
    const phone_number = rank + 1 === verifications ? reported : `+88017130000${rank + 10}`
    const locale = rank % 2 === 0 ? "en-us" : "bn-bd"
    const body = { phone_number, code_length: 10, locale, client }
    const { code, request_id } = await send(node, body, key)
    secrets.push(
      { what: `client ${rank}`, text: client },
      { what: key, text: key },
      { what: `the code of request ${rank}`, text: code },
    )
    if (rank < 15) {
      const { status } = await node.call("/verify/check", {
        body: { request_id, code: rank % 3 === 0 ? code.slice(1) : code, client },
      })
      if (status === 200) await node.call(`/verify/${request_id}/consume`, { body: {}, headers })
    }
  }
  for (let count = 0; count < 3; count++)
    await node.call("/messages", { body: { to: "8801713000099", message: markerText } })
  await node.call(`/messages/${encodeURIComponent(marker.text)}`)
  await node.call("/balance", { headers: { authorization: `Bearer ${node.keys["globex"]}x` } })
  const keys = Object.entries(node.keys).flatMap(([name, key]) => [
    { what: `the key of ${name}`, text: key },
    { what: `the secret part of the key of ${name}`, text: key.split("_")[3] ?? key },
  ])
  return [...secrets, ...keys]
}

/** What a path in the output shows of the marker. */
const markerInPath = "the marker, percent-encoded where necessary"

describe("secrets", () => {
  let embedded: Quickstart | undefined
  let node: Quickstart | undefined
  let server: PostgresServer | undefined
  const scope = temporaryScope()
  afterAll(async () => {
    await embedded?.stop()
    await node?.stop()
    await scope.close()
    await server?.stop()
  })

  describe("on the embedded store", () => {
    let finder = finderOf([])
    let output = ""
    beforeAll(async () => {
      embedded = await startQuickstart({ env: { COUNTERSIGN_SECRET: secret } })
      finder = finderOf(await exercise(embedded))
      output = (await embedded.kill("SIGKILL")).stdout + embedded.output()
    })

    it("are not in the data folder, except in quickstart.json", () => {
      const files = filesBelow(embedded?.dataDir ?? "")
      const others = files.filter(({ name }) => !name.endsWith("quickstart.json"))
      assert.deepStrictEqual(finder.problems(others), [])
    })

    it("are not in the output, and neither is a whole phone number", () => {
      assert.include(output, "Countersign is ready.")
      assert.deepStrictEqual([...new Set(finder.all(output))], [markerInPath])
      assert.notMatch(output.replaceAll("8801712345678", ""), /8801\d{9}/)
    })
  })

  describe("on PostgreSQL", () => {
    let secrets: ReadonlyArray<Canary> = []
    let encrypted: Observed | undefined
    let encryptedUrl = ""
    const stolen = new Map<string, string>()
    let finder = finderOf([])
    beforeAll(async () => {
      // The server logs each statement with its parameters.
      server = await startPostgres({ fsync: false, settings: { log_statement: "all" } })
      const env = { COUNTERSIGN_SECRET: secret, DATABASE_URL: server.url }
      node = await startQuickstart({ env })
      secrets = await exercise(node)
      for (let rank = 0; rank < 3; rank++) {
        const body = { phone_number: `+88017140000${rank + 10}`, code_length: 4 }
        const { code, request_id } = await send(node, body, `stolen ${rank}`)
        stolen.set(request_id, code)
      }
      const url = await scope.run(freshDatabase(server.url))
      encryptedUrl = Redacted.value(url)
      encrypted = await Effect.runPromise(observe(url, verifications))
      const { phoneNumbers, secrets: others, shownOnce } = encrypted
      finder = finderOf([...secrets, ...others, ...phoneNumbers, ...shownOnce])
    })

    it("are in no row of any table", async () => {
      for (const url of [server?.url ?? "", encryptedUrl]) {
        const rows = await dumpOf(url)
        assert.deepStrictEqual(finder.problems([{ name: "the dump", read: () => rows }]), [])
      }
    })

    it("are not in the stored reports on a message, and neither is its number", async () => {
      const rows = await eventually(async () => {
        const content = await dumpOf(server?.url ?? "", "reports")
        assert.include(content, '""status"":""undelivered""')
        return content
      })
      assert.notInclude(rows, reported.slice(4))
      assert.deepStrictEqual(finder.all(rows), [])
    })

    it("are in no file of the server, neither in the write-ahead log nor in its own", async () => {
      await dumpOf(server?.url ?? "")
      const folder = server?.dataDir ?? ""
      const files = filesBelow(folder)
      const [wal, others] = [true, false].map((isWal) =>
        files.filter(({ name }) => name.startsWith(join(folder, "pg_wal")) === isWal),
      )
      const log = join(dirname(folder), "log")
      for (const places of [wal, others, [{ name: log, read: () => readFileSync(log) }]])
        assert.deepStrictEqual(finder.problems(places ?? []), [])
    })

    it("are not in the output either", () => {
      assert.deepStrictEqual([...new Set(finder.all(node?.output() ?? ""))], [markerInPath])
    })

    it.each(["logs", "spans", "metrics", "errors", "webhooks"] as const)(
      "are not in the %s of a service that encrypts phone numbers",
      (name) => {
        const written = encrypted?.others[name] ?? ""
        assert.deepStrictEqual(finder.problems([{ name, read: () => written }]), [])
      },
    )

    it("are not in an answer, but keys and secrets of webhooks in the one that makes them", () => {
      const { answers, secrets, shownOnce } = encrypted ?? assert.fail("nothing was observed")
      const name = "an answer"
      assert.deepStrictEqual(finderOf(secrets).problems([{ name, read: () => answers }]), [])
      const shown = finderOf(shownOnce).all(answers)
      assert.sameMembers(
        shown.filter((hit) => !hit.startsWith("the marker")),
        shownOnce.map(({ what }) => `${what}, raw`),
      )
    })

    it("of a dump reveal the codes with the secret, and none without it", async () => {
      const rows = await stolenRows(server?.url ?? "")
      const short = rows.filter(({ requestId }) => stolen.has(requestId))
      assert.lengthOf(short, 3)
      for (const row of short) {
        assert.strictEqual(crack(row, secret), stolen.get(row.requestId))
        for (const guess of secretsInRow(row)) assert.isUndefined(crack(row, guess))
      }
    })
  })
})
