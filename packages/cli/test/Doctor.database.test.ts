/** What the doctor finds in a database and its server, with each defect planted in a real one. */
import { Accounts } from "@countersign/core/services/Accounts"
import { Messages } from "@countersign/core/services/Messages"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Money from "@countersign/core/domain/values/Money"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Judge from "../src/internal/findings.ts"
import { acme, engineOn, examine, migrated, onDatabase, withoutExpected } from "./support/doctor.ts"
import { runBare } from "./support/runCli.ts"
import { test } from "../../../test/support/testsOver.ts"

const message = { organization: acme, phoneNumber: "+8801712345678", text: "Hi" }

describe("doctor", () => {
  test.live("finds a node whose clock is wrong by the ids of its messages", function* () {
    const url = yield* migrated
    yield* Effect.gen(function* () {
      yield* TestEngine.open()
      yield* Messages.use((_) => _.send(message))
    }).pipe(Effect.provide(engineOn(url, { behave: () => ({ _tag: "Deliver" }) })))
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [])
    const shifted = (millis: number) =>
      `UPDATE countersign.messages SET id = 'msg_' ||
        lpad(to_hex(created_at + ${millis}), 12, '0') || substr(id, 17)`
    yield* onDatabase(url, shifted(45_000))
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [
      "problem node clocks: The clock of a node was 45.0 s ahead of that of the database",
    ])
    yield* onDatabase(url, shifted(-45_000))
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [
      "warning node clocks: The clock of a node was 45.0 s behind that of the database",
    ])
    // A queued send has got its id when it was queued.
    yield* onDatabase(
      url,
      `INSERT INTO countersign.outbox (organization, id, phone_number, call, queue, due_at, send_at, created_at)
        SELECT organization, id, phone_number, '{}', '', NULL, 0, 0 FROM countersign.messages`,
    )
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [])
  })

  test.live("finds that a role may open too few connections", function* () {
    const url = yield* migrated
    const role = `doctor_few_${process.pid}`
    yield* onDatabase(
      url,
      `CREATE ROLE ${role} LOGIN PASSWORD 'service' CONNECTION LIMIT 4`,
      `GRANT USAGE ON SCHEMA countersign TO ${role}`,
      `GRANT ALL ON ALL TABLES IN SCHEMA countersign TO ${role}`,
    )
    yield* Effect.addFinalizer(() =>
      Effect.orDie(onDatabase(url, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`)),
    )
    const service = new URL(Redacted.value(url))
    service.username = role
    service.password = "service"
    const found = withoutExpected(yield* examine(Redacted.make(service.href)))
    assert.strictEqual(found.length, 1)
    assert.match(found[0] ?? "", /connections: The role may have 4 connections, and [12] are open$/)
  })

  test.live("finds an index that is much larger than its entries", function* () {
    const url = yield* migrated
    const insert = (part: number) =>
      `INSERT INTO countersign.lanes (organization, id, batch)
        SELECT 'acme', md5(n::text) || md5((-n)::text), 1
        FROM generate_series(${part} * 25000, ${part} * 25000 + 24999) n`
    yield* onDatabase(
      url,
      ...[1, 2, 3, 4, 5].map(insert),
      "DELETE FROM countersign.lanes WHERE ascii(id) % 16 <> 1",
      "VACUUM ANALYZE countersign.lanes",
    )
    const found = withoutExpected(yield* examine(url))
    assert.match(
      found.join("\n"),
      /^warning indexes: lanes_pkey has \d+ MB, and its entries need about \d+ MB$/,
    )
    const { stdout } = yield* runBare(["doctor", "--database", Redacted.value(url)])
    assert.include(stdout, "→ REINDEX INDEX CONCURRENTLY lanes_pkey")
    yield* onDatabase(url, "REINDEX TABLE countersign.lanes")
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [])
  })

  test.live("finds codes that retention should have erased", function* () {
    const url = yield* migrated
    yield* Effect.gen(function* () {
      yield* TestEngine.open()
      yield* Verifications.use((_) =>
        _.send({ organization: acme, phoneNumber: message.phoneNumber }),
      )
    }).pipe(Effect.provide(engineOn(url)))
    assert.deepStrictEqual(withoutExpected(yield* examine(url)), [])
    yield* onDatabase(
      url,
      `UPDATE countersign.messages SET created_at = created_at - ${Judge.retentionMillis} - 60000,
        id = 'msg_' || lpad(to_hex(created_at - ${Judge.retentionMillis} - 60000), 12, '0') || substr(id, 17)`,
    )
    const found = withoutExpected(yield* examine(url))
    assert.strictEqual(found.length, 1)
    assert.match(found[0] ?? "", /^warning retention: Codes that have ended are not erased since /)
  })

  test.live("finds a balance that covers no further message, and a rejected account", function* () {
    const url = yield* migrated
    const rejected = { _tag: "Reject", message: "no credit" } as const
    yield* Effect.gen(function* () {
      yield* TestEngine.open()
      yield* Messages.use((_) => _.send(message)).pipe(Effect.ignore)
      assert.deepStrictEqual(withoutExpected(yield* examine(url)), [])
      yield* onDatabase(url, "UPDATE countersign.messages SET failure_reason = 'account'")
      assert.deepStrictEqual(withoutExpected(yield* examine(url)), [
        "problem accounts: simulated has rejected the account for 1 of the newest messages: no credit",
      ])
      const { available } = yield* Effect.map(
        Accounts.use((_) => _.balance({ organization: acme })),
        ({ balance }) => ({ available: balance }),
      )
      yield* Accounts.use((_) =>
        _.adjust({
          organization: acme,
          amount: Money.fromUnits(-available),
          note: "spent",
        }),
      )
    }).pipe(Effect.provide(engineOn(url, { behave: () => rejected })))
    const [balances, ...others] = withoutExpected(yield* examine(url))
    assert.match(balances ?? "", /^warning balances: acme has 0\.00, and its last message cost \d/)
    assert.strictEqual(others.length, 1)
  })
})

describe("the doctor's judgement", () => {
  const statusesOf = (findings: ReadonlyArray<Judge.Finding>) =>
    findings.map(({ status }) => status)

  it.each([
    [{ ahead: 0, behind: 0 }, ["ok", "ok"]],
    [{ ahead: 999, behind: 29_999 }, ["ok", "ok"]],
    [{ ahead: 1_000, behind: 30_000 }, ["warning", "warning"]],
    [{ ahead: 30_000, behind: 120_000 }, ["problem", "problem"]],
  ])("of the clocks %o of nodes is %o", (clocks, statuses) => {
    assert.deepStrictEqual(statusesOf(Judge.nodeClockFindings(clocks)), statuses)
  })

  it.each([
    [[], ["ok"]],
    [[{ of: "server", max: 100, used: 90 }], ["ok"]],
    [[{ of: "server", max: 100, used: 91 }], ["warning"]],
    [
      [
        { of: "server", max: 100, used: 98 },
        { of: "role", max: 10, used: 5 },
        { of: "database", max: 20, used: 0 },
      ],
      ["problem", "warning"],
    ],
  ] as const)("of the connections %o is %o", (bounds, statuses) => {
    assert.deepStrictEqual(statusesOf(Judge.connectionFindings(bounds)), [...statuses])
  })
})
