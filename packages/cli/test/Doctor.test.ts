import { exitCodes } from "@countersign/cli/ExitCode"
import { Messages } from "@countersign/core/services/Messages"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { Webhooks } from "@countersign/core/services/Webhooks"
import type * as Inspection from "@countersign/postgres/Inspection"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { freshDatabase } from "../../../test/support/freshDatabase.ts"
import * as Judge from "../src/internal/findings.ts"
import {
  acme,
  engineOn,
  examine,
  expected,
  migrated,
  onDatabase,
  secret,
  withoutExpected,
} from "./support/doctor.ts"
import { runBare } from "./support/runCli.ts"
import { test } from "../../../test/support/testsOver.ts"

describe("migrate", () => {
  test.live("says what it has run, and that nothing is left", function* () {
    const url = yield* freshDatabase(inject("postgresUrl"))
    const env = { DATABASE_URL: Redacted.value(url) }
    const early = yield* runBare(["org", "list"], { env })
    assert.strictEqual(early.exitCode, exitCodes.failed)
    assert.include(early.stderr, "countersign migrate")
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [
      'problem schema: The schema "countersign" lacks migration 1 initial. Migrate it before this build is started on it.',
    ])
    const first = yield* runBare(["migrate", "--schema", "sms"], { env })
    assert.strictEqual(
      first.stdout,
      PostgresStore.migrations
        .map(({ id, name }) => `The schema sms has run migration ${id} ${name}.`)
        .join("\n"),
    )
    const second = yield* runBare(["migrate", "--schema", "sms", "--json"], { env })
    assert.deepStrictEqual(JSON.parse(second.stdout), { schema: "sms", ran: [] })
    const listed = yield* runBare(["org", "list", "--schema", "sms"], { env })
    assert.strictEqual(listed.stdout, "There are no organizations.")
  })

  test.effect("prints the statements without a database", function* () {
    const whole = yield* runBare(["migrate", "--sql", "--schema", "sms"])
    assert.include(whole.stdout, 'CREATE TABLE "sms".organizations')
    assert.match(whole.stdout, /COMMIT;\s*$/)
    const rest = yield* runBare(["migrate", "--sql", "--after", "1"])
    assert.notInclude(rest.stdout, "organizations (")
    assert.include(rest.stdout, 'CREATE TABLE "countersign".outbox')
    const last = String(PostgresStore.migrations.at(-1)?.id)
    const none = yield* runBare(["migrate", "--sql", "--after", last])
    assert.strictEqual(none.stdout.trim(), "")
    const wrong = yield* runBare(["migrate", "--sql", "--schema", "pg_x"])
    assert.strictEqual(wrong.exitCode, exitCodes.usage)
  })
})

describe("the environment", () => {
  test.live("switches off what the host does not record", function* () {
    const url = yield* migrated
    const env = { DATABASE_URL: Redacted.value(url) }
    yield* runBare(["org", "create", "acme"], { env })
    const off = { ...env, COUNTERSIGN_RECORDS_OFF: "events audit" }
    yield* runBare(["key", "create", "CI", "-o", "acme"], { env: off })
    const events = yield* runBare(["events", "tail", "-o", "acme"], { env })
    assert.strictEqual(events.stdout, "There are no events.")
    yield* runBare(["key", "create", "CD", "-o", "acme"], { env })
    const later = yield* runBare(["events", "tail", "-o", "acme"], { env })
    assert.match(later.stdout, /^1 {2}.* api_key_created .*"CD"/)
  })
})

describe("doctor", () => {
  test.live("finds nothing in a new database but what its server lacks", function* () {
    const url = yield* migrated
    assert.deepStrictEqual(yield* examine(url), expected)
    const { exitCode, stdout } = yield* runBare(["doctor", "--database", Redacted.value(url)])
    assert.strictEqual(exitCode, exitCodes.problems)
    assert.match(stdout, /^ok {7}connection: PostgreSQL \d+/)
    assert.match(stdout, /\nPROBLEM {2}durability: fsync is off.*\n {9}→ Turn the setting on/)
    assert.match(stdout, /Problems: 3\. Warnings: 3\.$/)
    assert.notInclude(stdout, Redacted.value(url))
  })

  test.live("finds a missing secret", function* () {
    const url = yield* migrated
    yield* Effect.gen(function* () {
      yield* TestEngine.open()
      const verifications = yield* Verifications
      yield* verifications.send({ organization: acme, phoneNumber: "+8801712345678" })
    }).pipe(Effect.provide(engineOn(url)))
    const lacking =
      /^problem secret: Rows need the secret "[\w-]{12}", which is not in the environment$/
    for (const other of ["", `other-${secret}`]) {
      const found = yield* examine(url, { COUNTERSIGN_SECRET: other })
      const [only, ...others] = withoutExpected(found)
      assert.match(only ?? "", lacking)
      assert.deepStrictEqual(others, [])
    }
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [])
    const env = { DATABASE_URL: Redacted.value(url), COUNTERSIGN_SECRET: secret }
    const hook = ["webhook", "create", "https://example.com/hook", "-o", "acme"]
    assert.strictEqual((yield* runBare(hook, { env })).exitCode, exitCodes.done)
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [])
    const weak = yield* examine(url, { COUNTERSIGN_SECRET: "hunter2" })
    assert.match(withoutExpected(weak).join(), /^problem secret: COUNTERSIGN_SECRET must have/)
    assert.notInclude(weak.join(), "hunter2")
  })

  test.live("finds organizations that cannot send without the name of a sender", function* () {
    const url = yield* migrated
    const env = { DATABASE_URL: Redacted.value(url) }
    yield* runBare(["org", "create", "acme", "--sms-sender", "8809600000000"], { env })
    yield* runBare(["org", "create", "bare"], { env })
    yield* runBare(["org", "create", "closed"], { env })
    yield* runBare(["org", "suspend", "closed", "--yes"], { env })
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [
      "warning senders: bare has no approved default sender, so requests that name no sender are refused",
    ])
    const { stdout } = yield* runBare(["doctor"], { env })
    assert.include(
      stdout,
      "→ Run: countersign sender save SENDER --kind non-masking --default -o bare",
    )
  })

  test.live("finds webhooks that fail, messages that wait, and gateways that refuse", function* () {
    const url = yield* migrated
    yield* Effect.gen(function* () {
      yield* TestEngine.open()
      const webhooks = yield* Webhooks
      for (const path of ["slow", "gone"]) {
        yield* webhooks.create({ organization: acme, url: `https://example.com/${path}` })
      }
      const messages = yield* Messages
      const message = { organization: acme, phoneNumber: "+8801712345678", text: "Hi" }
      yield* Effect.replicateEffect(Effect.exit(messages.send(message)), 20)
    }).pipe(Effect.provide(engineOn(url)))
    const longAgo = "(extract(epoch FROM now()) * 1000)::int8 - 3600000"
    yield* onDatabase(
      url,
      `INSERT INTO countersign.webhook_progress (organization, id, status, position, retries, is_full,
            troubled_since, last_error, attempts, lease_until)
          SELECT organization, id, CASE WHEN url LIKE '%gone' THEN 'gone' ELSE 'active' END, 0, '[]', false,
            ${longAgo}, 'HTTP 500', '[]', 0 FROM countersign.webhooks`,
      `INSERT INTO countersign.open_messages (organization, sequence, due_at)
          VALUES ('acme', 98, ${longAgo}), ('acme', 99, ${longAgo})`,
      `INSERT INTO countersign.kept_reports (gateway, gateway_id, status, received_at)
          VALUES ('robi', '1', 'delivered', ${longAgo}), ('robi', '2', 'delivered', ${longAgo} + 3600000)`,
    )
    const [slow, gone, waiting, unmatched, refused, ...others] = withoutExpected(
      yield* examine(url),
    )
    assert.match(slow ?? "", /^warning webhooks: whk_\w+ of acme fails since .*: HTTP 500$/)
    assert.match(gone ?? "", /^problem webhooks: Deliveries to whk_\w+ of acme have ended/)
    assert.match(waiting ?? "", /^problem settlement: Messages .* settled: 2, since/)
    assert.strictEqual(
      unmatched,
      "warning reports: robi: 1 delivery reports belong to no known message",
    )
    assert.strictEqual(
      refused,
      "problem gateways: simulated: 20 of 20 messages were not sent in the last day",
    )
    assert.deepStrictEqual(others, [])
  })

  test.live("finds a missing right, a missing key of numbers, and a wrong password", function* () {
    const url = yield* migrated
    const role = `doctor_${process.pid}`
    yield* onDatabase(
      url,
      "INSERT INTO countersign.number_keys (id, fingerprint) VALUES ('k1', 'x')",
      `CREATE ROLE ${role} LOGIN PASSWORD 'service'`,
      `ALTER ROLE ${role} SET synchronous_commit = on`,
      `GRANT USAGE ON SCHEMA countersign TO ${role}`,
      `GRANT ALL ON ALL TABLES IN SCHEMA countersign TO ${role}`,
      `REVOKE DELETE ON countersign.brands, countersign.api_keys FROM ${role}`,
      `REVOKE INSERT ON countersign.totals FROM ${role}`,
    )
    yield* Effect.addFinalizer(() =>
      Effect.orDie(onDatabase(url, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`)),
    )
    const service = new URL(Redacted.value(url))
    service.username = role
    service.password = "service"
    const found = yield* examine(Redacted.make(service.href))
    assert.notInclude(found.join(), "synchronous_commit")
    assert.deepStrictEqual(withoutExpected(found), [
      `problem privileges: The role ${role} lacks DELETE on api_keys, brands`,
      `problem privileges: The role ${role} lacks INSERT on totals`,
      'problem phone number secret: phone numbers in this database may be encrypted under the secret "k1", which is missing',
    ])
    const env = { DATABASE_URL: service.href }
    yield* onDatabase(
      url,
      "DELETE FROM countersign.number_keys",
      `REVOKE SELECT ON countersign.organizations FROM ${role}`,
    )
    const denied = yield* runBare(["org", "list"], { env })
    assert.strictEqual(denied.exitCode, exitCodes.failed)
    const advice = "permission denied for table organizations\nRun: countersign doctor"
    assert.strictEqual(denied.stderr, `Error: ${advice}`)
    yield* onDatabase(url, `REVOKE USAGE ON SCHEMA countersign FROM ${role}`)
    const shut = yield* runBare(["org", "list"], { env })
    assert.strictEqual(shut.exitCode, exitCodes.failed)
    assert.include(shut.stderr, "permission denied for schema countersign\nRun: countersign doctor")
    const lockedOut = yield* examine(Redacted.make(service.href))
    assert.deepStrictEqual(withoutExpected(lockedOut), [
      `problem privileges: The role ${role} may not use the schema countersign`,
    ])
    service.password = "hunter2"
    const refused = yield* runBare(["org", "list"], { env: { DATABASE_URL: service.href } })
    const [unknown] = yield* examine(Redacted.make(service.href))
    assert.strictEqual(refused.exitCode, exitCodes.unavailable)
    assert.match(unknown ?? "", /^problem connection: password authentication failed/)
    assert.notInclude(refused.stderr, "hunter2")
  })
})

describe("the doctor's judgement", () => {
  const server: Inspection.Server = {
    version: "18.1",
    now: 100_000,
    role: "service",
    isSuperuser: false,
    isReplica: false,
    fsync: "on",
    synchronousCommit: "on",
    fullPageWrites: "on",
    lockTimeout: "2s",
    statementTimeout: "10s",
    idleInTransactionTimeout: "5s",
  }
  const statusesOf = (findings: ReadonlyArray<Judge.Finding>) =>
    findings.map(({ status }) => status)

  it.each([
    [0, "ok"],
    [999, "ok"],
    [-1_000, "warning"],
    [29_999, "warning"],
    [30_000, "problem"],
    [-30_000, "problem"],
  ])("of clocks that are %i ms apart is %s", (apart, status) => {
    assert.strictEqual(Judge.clockFinding(server, server.now + apart).status, status)
  })

  it.each([
    [{}, ["ok", "ok"]],
    [{ lockTimeout: "0" }, ["ok", "problem"]],
    [{ statementTimeout: "0", idleInTransactionTimeout: "0" }, ["ok", "problem"]],
  ])("of the limits %o is %o", (limits, statuses) => {
    const findings = Judge.poolerFindings("transaction", { ...server, ...limits })
    assert.deepStrictEqual(statusesOf(findings), statuses)
  })

  it.each([
    [{}, ["ok"]],
    [{ synchronousCommit: "local" }, ["ok"]],
    [{ fsync: "off" }, ["problem"]],
    [{ fullPageWrites: "off", synchronousCommit: "off" }, ["problem", "problem"]],
  ])("of the settings %o is %o", (settings, statuses) => {
    const findings = Judge.durabilityFindings({ ...server, ...settings })
    assert.deepStrictEqual(statusesOf(findings), statuses)
  })

  it.each([
    [{}, false, ["ok", "ok"]],
    [{ isReplica: true }, false, ["problem", "ok"]],
    [{ version: "13.9 (Debian 13.9-1)" }, false, ["problem", "ok"]],
    [{ version: "14.0" }, false, ["ok", "ok"]],
    [{ isSuperuser: true }, false, ["ok", "warning"]],
    [{ isSuperuser: true }, true, ["ok"]],
  ])("of the role %o, embedded: %s, is %o", (role, isEmbedded, statuses) => {
    assert.deepStrictEqual(
      statusesOf(Judge.roleFindings({ ...server, ...role }, isEmbedded)),
      statuses,
    )
  })

  it.each([
    [19, 19, "ok"],
    [100, 4, "ok"],
    [100, 5, "warning"],
    [100, 50, "problem"],
  ])("of a gateway with %i messages, %i of them not sent, is %s", (count, failed, status) => {
    const findings = Judge.gatewayFindings([{ gateway: "robi", count, failed }])
    assert.deepStrictEqual(statusesOf(findings), [status])
  })

  test.effect("of credentials names the variable that is missing, and no value", function* () {
    const env = { ROBI_USERNAME: "hunter2", TWILIO_ACCOUNT_SID: "AC1", TWILIO_AUTH_TOKEN: "x" }
    const { exitCode, stdout } = yield* runBare(
      ["doctor", "--json", "--database", "postgres://guest:hunter2@127.0.0.1:1/none"],
      { env },
    )
    assert.strictEqual(exitCode, exitCodes.problems)
    assert.include(stdout, "robi: ROBI_PASSWORD is missing or not valid")
    assert.include(stdout, "twilio: complete")
    assert.include(stdout, "ECONNREFUSED")
    assert.notInclude(stdout, "hunter2")
  })
})
