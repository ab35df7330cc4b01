/**
 * Hosts queue codes in their own transactions, with the libraries of `docs/guides/transaction-libraries.md`, and the
 * engine sends those that were committed.
 */
import { createCountersign, developmentGateway, migrateCountersign } from "countersign"
import { inspect } from "node:util"
import { Client } from "pg"
import { afterAll, assert, beforeAll, describe, inject, test } from "vitest"
import { eventually } from "../support/eventually.ts"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"
import type { Open } from "./transactions/host.ts"
import { generatePrismaClient, libraries } from "./transactions/libraries.ts"

const role = `host_${process.pid}`
const password = "a password for tests"

/** Characters that mean something in a statement of one of the libraries. */
const note = `it's "\\" ? ?? \\? :1 :1: $1 $2::text %s`
const metadata = { note }

const connect = async (url: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

const query = async (url: string, sql: string): Promise<ReadonlyArray<unknown>> => {
  await using client = await connect(url)
  return (await client.query(sql)).rows
}

beforeAll(async () => {
  await query(inject("postgresUrl"), `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`)
  await generatePrismaClient()
})
afterAll(() => query(inject("postgresUrl"), `DROP ROLE ${role}`))

// After the hook above, so that the databases are dropped before the role, which has grants in them.
const emptyDatabase = temporaryDatabases()

/** An empty database with the table of the host, and its address for the host. */
const hostDatabase = async () => {
  const url = await emptyDatabase()
  await query(
    url,
    `CREATE TABLE users (phone_number text PRIMARY KEY, request_id text NOT NULL);
    GRANT SELECT, INSERT ON users TO ${role}`,
  )
  const ofHost = Object.assign(new URL(url), { username: role, password }).href
  return { url, ofHost }
}

/** An engine, and the database of its host. */
const start = async () => {
  const database = await hostDatabase()
  const gateway = developmentGateway()
  const countersign = await createCountersign({
    database: database.url,
    secret: "a secret for tests, and for nothing else",
    gateways: { sms: gateway },
  })
  return { ...database, countersign, gateway }
}

/** What the guide grants. */
const grant = (url: string) =>
  query(
    url,
    `GRANT USAGE ON SCHEMA countersign TO ${role}; GRANT INSERT ON countersign.outbox TO ${role}`,
  )

let running: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  running = await start()
  await grant(running.url)
})
afterAll(() => running.countersign.dispose())

/** With an order key, some parameters occur twice in the statement. */
const prepare = (phoneNumber: string) =>
  running.countersign.verifications.prepare({
    phoneNumber,
    purpose: "sign-up",
    metadata,
    orderKey: note,
  })

type Later = ReturnType<typeof prepare>

const signUp = async (open: Open, url: string, phoneNumber: string, later: Later) => {
  const host = await open(url)
  await host.signUp(phoneNumber, later).finally(host.close)
}

/** The text of an error, with those of its causes: some libraries wrap the error of the database. */
const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => assert.fail("it has succeeded"),
    (error: unknown) => inspect(error),
  )

const rows = Object.entries(libraries).map(([name, open], index) => ({ name, open, index }))

describe.each(rows)("$name", ({ open, index }) => {
  test("commits the statement together with the host's row, as a role that may only insert", async () => {
    const { countersign, gateway, ofHost, url } = running
    const phoneNumber = `+88017123456${index}0`
    const later = prepare(phoneNumber)
    const { requestId } = later
    await signUp(open, ofHost, phoneNumber, later)

    const users = await query(url, `SELECT 1 FROM users WHERE request_id = '${requestId}'`)
    assert.strictEqual(users.length, 1)
    await countersign.verifications.dispatch({ requestId })
    const code = gateway.latestCode(phoneNumber)
    const verified = await countersign.verifications.verify({ requestId, code, purpose: "sign-up" })
    assert.deepInclude(verified, { phoneNumber, metadata })
    const reading = query(ofHost, "SELECT id FROM countersign.outbox")
    assert.include(await failureOf(reading), "permission denied for table outbox")
  })

  test("leaves nothing of a transaction that rolls back", async () => {
    const { countersign, ofHost, url } = running
    const phoneNumber = `+88017123456${index}1`
    await query(url, `INSERT INTO users VALUES ('${phoneNumber}', 'of an earlier sign-up')`)
    const later = prepare(phoneNumber)
    const { requestId } = later
    const failure = await failureOf(signUp(open, ofHost, phoneNumber, later))
    assert.match(failure, /unique constraint/i)
    const dispatched = countersign.verifications.dispatch({ requestId })
    assert.include(await failureOf(dispatched), "request_not_found")
  })

  test("names the table that a database without the schema lacks", async () => {
    const phoneNumber = `+88017123456${index}2`
    const { ofHost, url } = await hostDatabase()
    const failure = await failureOf(signUp(open, ofHost, phoneNumber, prepare(phoneNumber)))
    assert.include(failure, 'relation "countersign.outbox" does not exist')
    assert.deepStrictEqual(await query(url, "SELECT FROM users"), [])
  })
})

test("the error names the table that the role may not insert into", async () => {
  const { ofHost, url } = await hostDatabase()
  await migrateCountersign({ database: url })
  await query(url, `GRANT USAGE ON SCHEMA countersign TO ${role}`)
  const failure = await failureOf(
    signUp(libraries.pg, ofHost, "+8801712345678", prepare("+8801712345678")),
  )
  assert.include(failure, "permission denied for table outbox")
})

test("the engine sends one message for each committed transaction, and none for the others", async () => {
  const { countersign, gateway, ofHost, url } = await start()
  await grant(url)
  const committed = rows.map(({ index }) => `+88017123456${index}0`)
  const taken = rows.map(({ index }) => `+88017123456${index}1`)
  await query(
    url,
    `INSERT INTO users SELECT unnest('{${taken.join()}}'::text[]), 'of an earlier sign-up'`,
  )
  const signUps = rows.flatMap(({ open, index }) =>
    [committed, taken].map((numbers) => {
      const phoneNumber = numbers[index] ?? ""
      const later = countersign.verifications.prepare({ phoneNumber })
      return signUp(open, ofHost, phoneNumber, later)
    }),
  )
  const results = await Promise.allSettled(signUps)
  assert.deepStrictEqual(
    results.map(({ status }) => status),
    rows.flatMap(() => ["fulfilled", "rejected"] as const),
  )
  await eventually(async () => {
    const open = await query(url, "SELECT FROM countersign.outbox WHERE due_at IS NOT NULL")
    assert.strictEqual(open.length, 0)
  })
  // Waits for the sends that have begun.
  await countersign.dispose()
  const sent = gateway.messages().map(({ phoneNumber }) => phoneNumber)
  assert.deepStrictEqual(sent.toSorted(), committed)
})
