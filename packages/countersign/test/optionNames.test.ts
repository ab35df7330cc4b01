import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { secret } from "./support/host.ts"
import { inProduction, strongSecret } from "./support/production.ts"
import { failure, untyped } from "./support/values.ts"

const ignore = (): void => {}

const hostPool = (max = 10) => ({ connect: ignore, totalCount: 0, options: { max } })

const noDatabase = "postgres://127.0.0.1:1/none"

/** What `createCountersign` says of options; they are refused before a database is looked for. */
const refusal = async (options: object): Promise<string> => {
  const given = { secret, database: noDatabase, ...options }
  const error = await failure(
    Countersign.createCountersign(untyped<Countersign.CountersignOptions>(given)),
  )
  assert.instanceOf(error, Countersign.ConfigurationError)
  return error.message
}

const gateway = { name: "own", send: async () => ({ status: "unknown", message: "" }) }

describe("an unknown option", () => {
  it.each([
    [{ databse: noDatabase }, "databse is not an option; did you mean database?"],
    [
      { limits: { sendPerNumber: null } },
      "limits.sendPerNumber is not an option; did you mean sendsPerNumber?",
    ],
    [
      { limits: { sendsPerNumber: { max: 1, perr: "1 minute" } } },
      "limits.sendsPerNumber.perr is not an option; did you mean per?",
    ],
    [
      { retention: { mesages: "1 day" } },
      "retention.mesages is not an option; did you mean messages?",
    ],
    [{ http: { basepath: "/" } }, "http.basepath is not an option; did you mean basePath?"],
    [
      { routing: { routes: [{ gatway: "own" }] } },
      "routing.routes.0.gatway is not an option; did you mean gateway?",
    ],
    [
      { testNumbers: { numbers: [{ phone: "1" }] } },
      "testNumbers.numbers.0.phone is not an option; did you mean phoneNumber?",
    ],
    [{ unheardOf: 1 }, "unheardOf is not an option"],
    [
      { database: { url: noDatabase, partition: 2 } },
      "database.partition is not an option; did you mean partitions?",
    ],
    [{ gateways: { SMS: gateway } }, "gateways.SMS is not an option; did you mean sms?"],
    [
      { gateways: [{ ...gateway, timeoutMillis: 10_000 }] },
      "gateways: own.timeoutMillis is not an option; did you mean timeout?",
    ],
    [{ profile: "nist" }, "profile is not an option; did you mean verifications.profile?"],
    [{ schema: "other" }, "schema is not an option; did you mean database.schema?"],
    [
      { verifications: { production: true } },
      "verifications.production is not an option; did you mean production?",
    ],
  ] as const)(
    "is rejected with the nearest known name, or its place: %j",
    async (options, message) => {
      assert.strictEqual(await refusal(options), message)
    },
  )

  it("is rejected by migrateCountersign as well, which accepts all options of an engine", async () => {
    const options = { database: noDatabase, secret, databse: noDatabase }
    const error = await failure(Countersign.migrateCountersign(options))
    assert.strictEqual(error.message, "databse is not an option; did you mean database?")
  })

  it("may be undefined", async () => {
    const message = await refusal({
      limits: { attempts: undefined },
      http: undefined,
      settleAfter: 5,
    })
    assert.match(message, /^settleAfter must be a number with its unit/)
  })
})

describe("an option of the wrong type", () => {
  const shape = "gateways must be a list of gateways, or { sms, whatsapp }"
  it.each([
    [{ database: 5 }, "database must be an object or a text"],
    [{ database: { url: noDatabase, schema: 5 } }, "database.schema must be a text"],
    [
      { database: { url: noDatabase, folder: "x" } },
      "database must have only one of url, pool and folder",
    ],
    [
      { database: { url: noDatabase, pool: hostPool() } },
      "database must have only one of url, pool and folder",
    ],
    [
      { database: { pool: hostPool(), maxConnections: 5 } },
      "database.maxConnections needs url; set max of the pool",
    ],
    [
      { database: { pool: { max: 5 } } },
      "database.pool must be a Pool of pg, or an object with query and transaction",
    ],
    [
      { database: { pool: { transaction: ignore } } },
      "database.pool has transaction, but no query: give both",
    ],
    [
      { database: { pool: { connect: ignore, query: ignore } } },
      "database.pool is a single connection: give a Pool of pg, or an object with query and transaction",
    ],
    [
      { database: { pool: hostPool(1) } },
      "database.pool has max: 1, but needs 2: a call from inside of your transaction takes a second connection",
    ],
    [{ database: hostPool() }, "database is a pool: write database: { pool }"],
    [
      { database: { pool: hostPool() }, secret: undefined },
      "secret is missing: with a database pool set 32 random characters or more, the same for all processes (openssl rand -hex 32)",
    ],
    [
      { database: { folder: "x", maxConnections: 5 } },
      "database.maxConnections needs url; a folder has one connection",
    ],
    [
      { database: { url: noDatabase, commits: "all" } },
      'database.commits must be "organization" or "shared"',
    ],
    [{ countries: "BD" }, "countries must be a list"],
    [{ countries: [5] }, "countries.0 must be a text"],
    [{ countries: ["BD", "in"] }, 'countries: in is no country with a numbering plan: write "IN"'],
    [{ countries: ["Bangladesh"] }, "countries: Bangladesh is no country with a numbering plan"],
    [
      { limits: { sendsPerNumber: { max: 1, per: "60 days" } } },
      "limits: sendsPerNumber.per must be between 1 millisecond and 31 days",
    ],
    [
      { verifications: { fraud: { window: "60 days" } } },
      "verifications.fraud: window must be between 1 second and 31 days",
    ],
    [{ limits: [] }, "limits must be an object"],
    [{ limits: { sendsPerNumber: 5 } }, "limits.sendsPerNumber must be an object, a list or null"],
    [
      { limits: { sendsPerNumber: { max: 1, per: 60 } } },
      'limits.sendsPerNumber.per must be a number with its unit: write "60 seconds"',
    ],
    [
      { limits: { resendCooldown: 30_000 } },
      'limits.resendCooldown must be a number with its unit: write "30 seconds"',
    ],
    [
      { limits: { expiresIn: { min: 60, max: "1 hour", default: "5 minutes" } } },
      'limits.expiresIn.min must be a number with its unit: write "60 seconds"',
    ],
    [
      { limits: { checksPerOrganization: [] } },
      "limits: checksPerOrganization must be { max, per }, or a list of 1 to 4 of them",
    ],
    [{ limits: { spendPerDay: 5 } }, "limits.spendPerDay must be a text or null"],
    [{ database: { url: noDatabase, migrate: "yes" } }, "database.migrate must be true or false"],
    [{ log: console }, "log must be a function"],
    [{ settleAfter: 300 }, 'settleAfter must be a number with its unit: write "300 seconds"'],
    [
      { retention: { messages: 90 } },
      'retention.messages must be a number with its unit: write "90 days"',
    ],
    [
      { routing: { retryFor: 10_000 } },
      'routing.retryFor must be a number with its unit: write "10 seconds"',
    ],
    [{ http: { graceMillis: 5 } }, "http.graceMillis is not an option"],
    [{ gateways: gateway }, `${shape}; put a single gateway into a list`],
    [{ gateways: "twilio" }, shape],
    [{ gateways: { sms: "twilio" } }, shape],
    [
      { gateways: [{ name: "own" }] },
      "gateways: own has no function send, and was not made by this copy of countersign/gateways",
    ],
    [
      { gateways: { sms: { name: "own", send: true } } },
      "gateways: own has no function send, and was not made by this copy of countersign/gateways",
    ],
  ])("is rejected with its name: %j", async (options, message) => {
    assert.strictEqual(await refusal(options), message)
  })

  it("is never quoted, because it may be a secret", async () => {
    assert.notInclude(await refusal({ database: ["hunter2"] }), "hunter2")
  })

  it("is rejected if the options are no object", async () => {
    const error = await failure(
      Countersign.createCountersign(untyped<Countersign.CountersignOptions>(null)),
    )
    assert.strictEqual(error.message, "the options must be an object")
  })
})

const root = join(import.meta.dirname, "../../..")

/** Secrets that stand in documents and in the sources of examples. */
const published = [
  "README.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "examples/*/README.md",
  "examples/*/{app,src}/**/*.{ts,tsx}",
]
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .flatMap((file) => readFileSync(join(root, file), "utf8").split("\n"))
  .filter((line) => /secret(?::| =|\()|CodeSecrets/i.test(line))
  .flatMap((line) => [...line.matchAll(/"([^"]{32,100})"/g)].map(([, secret = ""]) => secret))
  // The names of tests, which begin with a verb, stand in such lines as well.
  .filter((secret) => / .* .* /.test(secret) && !/[{}()=]|COUNTERSIGN_SECRET|^says /.test(secret))

describe("in production", () => {
  it("no secret of a document or an example is accepted as the secret", async () => {
    assert.isAtLeast(new Set(published).size, 2)
    for (const secret of new Set(published)) {
      const message = await inProduction(() => refusal({ secret }))
      assert.match(message, /^secret: this secret stands in the documents/, secret)
    }
  })

  it.each(["x".repeat(32), "0123456789abcdef".repeat(2), "abab1212".repeat(4)])(
    "no secret that is easy to guess is accepted: %s",
    async (secret) => {
      const message = await inProduction(() => refusal({ secret: [secret] }))
      assert.match(message, /^secret: the secret is easily guessed/)
    },
  )

  it("the embedded database requires an explicit folder", async () => {
    const message = await inProduction(() =>
      refusal({ secret: strongSecret, gateways: [gateway], database: undefined }),
    )
    assert.match(message, /^database is missing; .* give \{ folder \}$/)
  })

  it("is what the option says, and otherwise NODE_ENV", async () => {
    const message = await refusal({ production: true, database: "memory" })
    assert.match(message, /^database: everything in memory is lost/)
    await inProduction(async () => {
      assert.match(await refusal({ database: "memory" }), /^database: everything in memory is lost/)
      const options = { database: "memory", production: false, log: () => {} }
      await (await Countersign.createCountersign(options)).dispose()
    })
  })

  it("a gateway is required", async () => {
    const message = await inProduction(() => refusal({ secret: strongSecret }))
    assert.match(message, /^gateways: name one/)
  })
})
