import { exitCodes } from "@countersign/cli/ExitCode"
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Store } from "@countersign/core/ports/Store"
import { Access } from "@countersign/core/engine/Access"
import { Audit } from "@countersign/core/services/Audit"
import { Organizations } from "@countersign/core/services/Organizations"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { existsSync } from "node:fs"
import { userInfo } from "node:os"
import { decodeJson, runBare, runCli, runJson } from "./support/runCli.ts"
import { test, testsOver } from "../../../test/support/testsOver.ts"

const acme = OrganizationId("acme")
const engine = testsOver(TestEngine.layer())

describe("results", () => {
  engine.effect("are an aligned table for people, and a sentence for an empty list", function* () {
    const none = yield* runCli(["org", "list"])
    const sentence = "There are no organizations."
    assert.deepStrictEqual(none, { exitCode: 0, stdout: sentence, stderr: "" })
    yield* TestEngine.open()
    const organizations = yield* Organizations
    yield* organizations.create({ id: "dhaka", name: "東京 é" })
    const { stdout } = yield* runCli(["org", "list"])
    assert.strictEqual(
      stdout,
      [
        "ID     NAME    BALANCE  HELD  KEYS  SENDER  SUSPENDED",
        "acme   acme     100.00  0.00     1  yes     no",
        "dhaka  東京 é     0.00  0.00     0  none    no",
      ].join("\n"),
    )
  })

  engine.effect("are one JSON value for scripts", function* () {
    assert.deepStrictEqual(yield* runJson(["org", "list"]), [])
    yield* TestEngine.open()
    assert.deepStrictEqual(yield* runJson(["org", "show", "acme"]), {
      id: "acme",
      name: "acme",
      allowList: [],
      limits: {},
      quietHours: null,
      zone: null,
      isSuspended: false,
      balanceLowAt: null,
      alerts: {},
      changes: [],
      blockedPrefixes: [],
      allowedPrefixes: [],
      prefixReasons: {},
      hasDefaultSender: true,
    })
  })

  engine.effect(
    "say that a new organization has no default sender, and how it gets one",
    function* () {
      const bare = yield* runCli(["org", "create", "bare"])
      const advice = "countersign sender save SENDER --kind non-masking --default -o bare"
      assert.match(bare.stdout, new RegExp(`Default sender +none\\. Run: ${advice}`))
      const args = ["--sms-sender", "8809600000000", "--whatsapp-sender", "profile"]
      const made = yield* runJson(["org", "create", "whole", ...args])
      assert.deepInclude(made, { id: "whole", hasDefaultSender: true })
      const { stdout } = yield* runCli(["sender", "list", "-o", "whole"])
      assert.include(stdout, "8809600000000")
      assert.include(stdout, "profile")
    },
  )

  engine.effect("and errors carry no control characters of the data to the terminal", function* () {
    const name = "a\u001B[2Jb\nc\u009B31md\u202Ee\u2066f\u007Fg\u2028h"
    const organizations = yield* Organizations
    yield* organizations.create({ id: "acme", name })
    const { stdout } = yield* runCli(["org", "list"])
    assert.include(stdout, "a [2Jb c 31md e f g h")
    const json = yield* runCli(["org", "show", "acme", "--json"])
    const events = yield* runCli(["audit", "-o", "acme", "--json"])
    const unknown = ["org", "show", "acme", "--actor", "x", `--${name}`]
    const usage = yield* runCli(unknown)
    const usageJson = yield* runCli([...unknown, "--json"])
    for (const { stderr, stdout } of [json, events, usage, usageJson]) {
      assert.notMatch(stdout + stderr, /(?!\n)[\p{Cc}\u2028-\u202E\u2066-\u2069]/u)
    }
    assert.deepInclude(decodeJson(json.stdout), { name })
  })
})

describe("exit codes", () => {
  const { failed, notFound, usage } = exitCodes
  const cases = [
    [["org create acme"], failed, "The id is taken"],
    [["org create", "not an id"], usage, "id must have 1 to 64"],
    [["org list --limit many"], usage, "--limit"],
    [["org list --limit 0"], usage, "1 to 1,000"],
    [["audit --limit 1001"], usage, "1 to 1,000"],
    [["ledger --limit 0"], usage, "1 to 1,000"],
    [["messages list --limit 201"], usage, "1 to 200"],
    [["migrate --partitions 1"], usage, "2 to 1,024"],
    [["org nonsense"], usage, "Unknown subcommand"],
    [["org list --nonsense"], usage, "--nonsense"],
    [["org show other"], notFound, "Organization not found"],
    [["org show", "no id"], notFound, "Organization not found"],
    [["org suspend acme"], usage, "give --yes"],
  ] as const
  for (const [[line, ...more], exitCode, said] of cases) {
    engine.effect(`are ${exitCode} for ${[line, ...more].join(" ")}`, function* () {
      yield* TestEngine.open()
      const ran = yield* runCli([...line.split(" "), ...more])
      assert.strictEqual(ran.exitCode, exitCode)
      assert.include(ran.stderr, said)
      assert.strictEqual(ran.stdout, "")
    })
  }

  engine.effect("are 4 if the database is not available", function* () {
    const store = yield* Store
    const ran = yield* runCli(["org", "list"]).pipe(
      Effect.provideService(Store, {
        ...store,
        organizationSummaries: () =>
          Effect.fail(new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })),
      }),
    )
    assert.strictEqual(ran.exitCode, exitCodes.unavailable)
    assert.include(ran.stderr, "Temporarily unavailable")
  })

  test.effect("are 2 with the help for a group of commands alone, and 0 for --help", function* () {
    const alone = yield* runBare(["key"])
    const asked = yield* runBare(["key", "--help"])
    assert.deepStrictEqual([alone.exitCode, asked.exitCode], [exitCodes.usage, exitCodes.done])
    for (const { stdout } of [alone, asked]) assert.include(stdout, "Revoke an API key")
  })
})

describe("errors", () => {
  engine.effect("are a JSON object with --json", function* () {
    const ran = yield* runCli(["org", "create", "", "--json"])
    assert.strictEqual(ran.stdout, "")
    assert.deepStrictEqual(JSON.parse(ran.stderr), {
      error: "id must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -",
      code: "invalid_request",
      details: {
        id: [
          {
            code: "invalid_id",
            params: { min: 1, max: 64 },
            message: "must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -",
          },
        ],
      },
    })
  })

  test.effect("of usage are a JSON object as well", function* () {
    const { exitCode, stderr } = yield* runBare(["org", "list", "--json", "--limit", "many"])
    assert.strictEqual(exitCode, exitCodes.usage)
    assert.deepInclude(JSON.parse(stderr), { code: "usage" })
    assert.include(stderr, "--limit")
  })

  const url = "postgres://admin:hunter2@127.0.0.1:1/countersign"
  for (const args of [
    ["org", "list", "--database", url],
    ["org", "list", "--databse", url],
    ["org", "list", `--databse=${url}`],
    ["org", "list", url],
    [url],
    ["org", "list", "--database", "postgress://admin:hunter2@127.0.0.1:1/countersign"],
    ["org", "list", "--limit", url],
    ["org", "show", "acme", "--database", `${url}?password=hunter2&sslmode=nonsense`],
  ]) {
    test.effect(`repeat no password: ${args.join(" ")}`, function* () {
      for (const json of [[], ["--json"]]) {
        const { exitCode, stderr, stdout } = yield* runBare([...args, ...json])
        assert.notStrictEqual(exitCode, 0)
        assert.notStrictEqual(stderr, "")
        assert.notInclude(stdout + stderr, "hunter2")
      }
    })
  }

  test.effect("name what is missing", function* () {
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, Record<string, string>, string]> = [
      [["org", "list"], {}, "--database URL, DATABASE_URL, or --data-dir"],
      [["org", "list", "--data-dir", "x", "--database", url], {}, "not both"],
      [["org", "list", "--data-dir", "no-such-folder"], {}, "no folder no-such-folder"],
      [["doctor", "--data-dir", "no-such-folder"], {}, "migrate --data-dir"],
      [["org", "list"], { DATABASE_URL: "mysql://x" }, "must be of PostgreSQL"],
    ]
    for (const [args, env, said] of cases) {
      const { exitCode, stderr } = yield* runBare(args, { env })
      assert.strictEqual(exitCode, exitCodes.usage)
      assert.include(stderr, said)
    }
    assert.isFalse(existsSync("no-such-folder"))
  })
})

describe("a question", () => {
  const isSuspended = Effect.gen(function* () {
    const organizations = yield* Organizations
    return (yield* organizations.get({ id: acme })).settings.isSuspended
  })

  const { done } = exitCodes
  const answers = [
    ["a yes", [], ["y"], done, true],
    ["a no", [], ["n"], exitCodes.failed, false],
    ["Enter", [], ["return"], exitCodes.failed, false],
    ["--yes", ["--yes"], undefined, done, true],
    ["no terminal", [], undefined, exitCodes.usage, false],
  ] as const
  for (const [title, args, keys, exitCode, suspended] of answers) {
    engine.effect(`is answered by ${title}`, function* () {
      yield* TestEngine.open()
      const ran = yield* runCli(["org", "suspend", "acme", ...args], { keys })
      assert.strictEqual(ran.exitCode, exitCode)
      assert.strictEqual(yield* isSuspended, suspended)
    })
  }
})

describe("org", () => {
  engine.effect("renames, configures, suspends and resumes an organization", function* () {
    yield* runCli(["org", "create", "acme", "--name", "Acme"])
    const settings = ["--balance-low-at", "50", "--blocked-prefixes", "1900,88017"]
    const configured = yield* runJson(["org", "configure", "acme", ...settings])
    assert.deepInclude(configured, { balanceLowAt: "50.00", blockedPrefixes: ["1900", "88017"] })
    const none = ["--balance-low-at", "none", "--blocked-prefixes", "none"]
    const emptied = yield* runJson(["org", "configure", "acme", ...none])
    assert.deepInclude(emptied, { name: "Acme", balanceLowAt: null, blockedPrefixes: [] })
    for (const wrong of [
      ["--balance-low-at", "much"],
      ["--allowed-prefixes", "x"],
    ]) {
      const refused = yield* runCli(["org", "configure", "acme", ...wrong])
      assert.strictEqual(refused.exitCode, exitCodes.usage)
    }
    const suspended = yield* runJson(["org", "suspend", "acme", "--yes"])
    assert.deepInclude(suspended, { isSuspended: true })
    assert.deepInclude(yield* runJson(["org", "resume", "acme"]), { isSuspended: false })
    const repaired = yield* runJson(["org", "repair-time", "acme", "--yes"])
    assert.deepStrictEqual(repaired, { messages: 0 })
  })
})

describe("the audit", () => {
  engine.effect("names the user of the system, or --actor, and the command line", function* () {
    yield* runCli(["org", "create", "acme"])
    yield* runCli(["org", "rename", "acme", "Acme", "--actor", "u_7"])
    const audit = yield* Audit
    const { entries } = yield* audit.list({ organization: acme })
    assert.deepStrictEqual(
      entries.map(({ action, actor, origin }) => ({ action, actor, origin })),
      [
        { action: "organization.changed", actor: "u_7", origin: "cli" },
        {
          action: "organization.created",
          actor: `cli:${userInfo().username}`,
          origin: "cli",
        },
      ],
    )
    const unnamed = yield* runCli(["org", "rename", "acme", "A", "--actor", " "])
    assert.strictEqual(unnamed.exitCode, exitCodes.usage)
    for (const filters of [
      ["--by", "U_"],
      ["--action", "changed"],
      ["--target", "acme", "--to", "1970-01-02"],
    ]) {
      const found = yield* runCli(["audit", "-o", "acme", ...filters])
      assert.include(found.stdout, "organization.changed", filters.join(" "))
    }
    for (const filters of [
      ["--by", "u_8"],
      ["--action", "key"],
      ["--target", "x"],
      ["--from", "1970-01-03"],
    ]) {
      const found = yield* runCli(["audit", "-o", "acme", ...filters])
      assert.include(found.stdout, "There are no entries.", filters.join(" "))
    }
    const listed = yield* runCli(["audit", "-o", "acme", "--limit", "1"])
    assert.include(listed.stdout, "--before 2")
    assert.match(listed.stdout, /2 .* u_7 +cli +organization\.changed/)
    assert.notInclude(listed.stdout, "organization.created")
  })
})

describe("key", () => {
  const Created = Schema.Struct({ id: Schema.String, key: Schema.String })

  engine.effect("prints a new key once, which authenticates until it is revoked", function* () {
    yield* TestEngine.open()
    const access = yield* Access
    const created = Schema.decodeUnknownSync(Created)(
      yield* runJson(["key", "create", "CI", "-o", "acme", "--scope", "balance:read"]),
    )
    const key = Redacted.make(created.key)
    const caller = yield* access.authenticate(key, "balance:read")
    assert.strictEqual((yield* access.confirm(caller)).id, acme)
    const listed = yield* runCli(["key", "list", "-o", "acme"])
    assert.include(listed.stdout, created.id)
    assert.include(listed.stdout, "balance:read")
    assert.notInclude(listed.stdout, created.key)
    yield* runCli(["key", "revoke", created.id, "-o", "acme", "--yes"])
    const refused = yield* Effect.flip(access.confirm(caller))
    assert.strictEqual(refused._tag, "Unauthorized")
    const again = yield* runCli(["key", "list"], { env: { COUNTERSIGN_ORGANIZATION: "acme" } })
    assert.include(again.stdout, "revoked")
  })

  engine.effect("is not found by an unknown id", function* () {
    yield* TestEngine.open()
    const ran = yield* runCli(["key", "revoke", "nonsense", "-o", "acme", "--yes"])
    assert.strictEqual(ran.exitCode, exitCodes.notFound)
  })
})
