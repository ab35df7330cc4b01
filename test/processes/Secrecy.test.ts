/**
 * No code, no API key, and neither a name of a client nor an idempotency key is found in the data folder, in the database's own files, in a dump of it, or
 * in what is printed. A text that is there on purpose shows that the search would find one.
 */
import { PgConnection } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { eventually } from "../support/eventually.ts"
import { at, type Quickstart, startQuickstart } from "../support/Quickstart.ts"

const marker = "a message that is kept as it is"
const secret = "secret-secret-secret-secret-secret-42"
const verifications = 25
const reported = "+8801555000103"

interface Secret {
  readonly what: string
  readonly text: string
}

const reverse = (text: string): string => [...text].toReversed().join("")

/** A secret in the spellings in which it could have been written by accident. */
const spellings = ({ text, what }: Secret): ReadonlyArray<Secret> => {
  const bytes = Buffer.from(text)
  return [
    { what, text },
    { what: `${what}, hexadecimal`, text: bytes.toString("hex") },
    { what: `${what}, base64`, text: bytes.toString("base64").replace(/=+$/, "").slice(0, -1) },
    { what: `${what}, reversed`, text: reverse(text) },
  ]
}

const found = (content: Buffer, secrets: ReadonlyArray<Secret>): ReadonlyArray<string> =>
  secrets.filter(({ text }) => content.includes(text)).map(({ what }) => what)

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Sends codes of ten digits, which nothing else looks like by chance; checks some right, some wrong. */
const exercise = async (node: Quickstart): Promise<ReadonlyArray<Secret>> => {
  const codes: Array<Secret> = []
  const names: Array<Secret> = []
  for (let rank = 0; rank < verifications; rank++) {
    const client = `the device of visitor ${rank}`
    const key = `the idempotency key ${rank}`
    names.push({ what: `client ${rank}`, text: client }, { what: key, text: key })
    const headers = { "idempotency-key": key }
    // The last is reported on, a second later, by a vendor that quotes the number and the text.
    const phone_number = rank + 1 === verifications ? reported : `+88017130000${rank + 10}`
    const locale = rank % 2 === 0 ? "en-us" : "bn-bd"
    const body = { phone_number, code_length: 10, locale, client }
    const sent = await node.call("/verify", { body, headers })
    const inbox = await fetch(`${node.inboxUrl}/messages?to=${encodeURIComponent(phone_number)}`)
    const code = /\d{10}/.exec(String(at(await inbox.json(), 0, "text")))?.[0] ?? ""
    assert.match(code, /^\d{10}$/)
    codes.push({ what: `the code of request ${rank}`, text: code })
    if (rank < 15) {
      const request_id = at(sent.body, "data", "request_id")
      const { status } = await node.call("/verify/check", {
        body: { request_id, code: rank % 3 === 0 ? code.slice(1) : code, client },
      })
      if (status === 200) await node.call(`/verify/${request_id}/consume`, { body: {}, headers })
    }
  }
  await node.call("/messages", { body: { to: "8801713000099", message: marker } })
  await node.call("/balance", { headers: { authorization: `Bearer ${node.keys["globex"]}x` } })
  const keys = Object.entries(node.keys).flatMap(([name, key]) => [
    { what: `the key of ${name}`, text: key },
    { what: `the secret part of the key of ${name}`, text: key.split("_")[3] ?? key },
  ])
  return [...codes, ...names, ...keys, { what: "the secret", text: secret }].flatMap(spellings)
}

/** Every row of every table, or of one, as text. */
const dump = (url: string, only?: string) =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ url: Redacted.make(url) })
    const tables = yield* connection.query(
      "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'countersign'",
    )
    const texts: Array<string> = []
    for (const { name } of tables.rows) {
      if (only !== undefined && name !== `countersign.${only}`) continue
      const { rows } = yield* connection.query(`SELECT t::text AS row FROM ${String(name)} t`)
      texts.push(...rows.map(({ row }) => String(row)))
    }
    yield* connection.query("CHECKPOINT")
    return Buffer.from(texts.join("\n"))
  }).pipe(Effect.scoped, Effect.runPromise)

describe("secrets", () => {
  let embedded: Quickstart | undefined
  let node: Quickstart | undefined
  let server: PostgresServer | undefined
  afterAll(async () => {
    await embedded?.stop()
    await node?.stop()
    await server?.stop()
  })

  describe("on the embedded store", () => {
    let secrets: ReadonlyArray<Secret> = []
    let output = ""
    beforeAll(async () => {
      embedded = await startQuickstart({ env: { COUNTERSIGN_SECRET: secret } })
      secrets = await exercise(embedded)
      output = (await embedded.kill("SIGKILL")).stdout + embedded.output()
    })

    it("are not in the data folder, except in quickstart.json", () => {
      const folder = embedded?.dataDir ?? ""
      const files = filesBelow(folder).filter((file) => !file.endsWith("quickstart.json"))
      const contents = files.map((file) => ({ file, content: readFileSync(file) }))
      assert.isTrue(contents.some(({ content }) => content.includes(marker)))
      assert.deepStrictEqual(
        contents.flatMap(({ content, file }) =>
          found(content, secrets).map((what) => `${what} in ${file}`),
        ),
        [],
      )
    })

    it("are not in the output, and neither is a whole phone number", () => {
      assert.include(output, "Countersign is ready.")
      assert.deepStrictEqual(found(Buffer.from(output), secrets), [])
      assert.notMatch(output.replaceAll("8801712345678", ""), /8801\d{9}/)
    })
  })

  describe("on PostgreSQL", () => {
    let secrets: ReadonlyArray<Secret> = []
    beforeAll(async () => {
      server = await startPostgres({ fsync: false })
      node = await startQuickstart({
        env: { COUNTERSIGN_SECRET: secret, DATABASE_URL: server.url },
      })
      secrets = await exercise(node)
    })

    it("are in no row of any table", async () => {
      const rows = await dump(server?.url ?? "")
      assert.isTrue(rows.includes(marker))
      assert.deepStrictEqual(found(rows, secrets), [])
    })

    it("are not in the stored reports on a message, and neither is its number", async () => {
      const rows = await eventually(async () => {
        const content = await dump(server?.url ?? "", "reports")
        assert.include(String(content), '""status"":""undelivered""')
        return content
      })
      assert.notInclude(String(rows), reported.slice(4))
      assert.deepStrictEqual(found(rows, secrets), [])
    })

    it("are in no file of the server, including the write-ahead log", async () => {
      await dump(server?.url ?? "")
      const contents = filesBelow(server?.dataDir ?? "").map((file) => ({
        file,
        content: readFileSync(file),
      }))
      const wal = contents.filter(({ file }) => file.includes("pg_wal"))
      assert.isTrue(wal.some(({ content }) => content.includes(marker)))
      assert.deepStrictEqual(
        contents.flatMap(({ content, file }) =>
          found(content, secrets).map((what) => `${what} in ${file}`),
        ),
        [],
      )
    })

    it("are not in the output either", () => {
      assert.deepStrictEqual(found(Buffer.from(node?.output() ?? ""), secrets), [])
    })
  })
})
