import { inspect } from "node:util"
import { assert, describe, inject, it } from "vitest"
import { temporaryFolder } from "../../../test/support/temporaryFolder.ts"
import * as Countersign from "../src/index.ts"
import { hosts, secret } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"

const noDatabase = "postgres://127.0.0.1:1/none"

const { database, host } = hosts()

describe("starting", () => {
  const code = "7390284615"

  it.each([
    ["a short secret", { secret: "short secret" }, /32 characters/],
    ["no secret", { secret: [] }, /there has to be one/],
    ["a secret twice", { secret: [secret, secret] }, /^secret: two are equal/],
    ["no address of a database", { database: "mysql://root:secret@h/d" }, /postgres:\/\//],
    ["an invalid price", { prices: { sms: "-1" } }, /prices\.sms/],
    ["an invalid limit", { limits: { attempts: 0 } }, /attempts/],
    ["an invalid proxy", { http: { trustedProxies: ["proxy"] } }, /trustedProxies/],
    [
      "no time to settle in",
      { settleAfter: "0 seconds" },
      /^settleAfter must be between 1 second and/,
    ],
    [
      "too few connections",
      { database: { url: noDatabase, maxConnections: 1 } },
      /database\.maxConnections/,
    ],
    [
      "no days",
      { retention: { messages: "0 days" } },
      /^retention\.messages must be between 1 millisecond and/,
    ],
    [
      "an invalid path for reports",
      { callbacks: { publicUrl: "https://a.example", ...JSON.parse('{"basePath":5}') } },
      /callbacks\.basePath/,
    ],
    ["an invalid country", { countries: ["XX"] }, /^countries: XX is no country/],
    ["no country", { countries: [] }, /^countries: /],
    ["an invalid amount", { limits: { spendPerDay: "1,5" } }, /^limits: spendPerDay/],
    ["a negative cap", { limits: { spendPerDay: "-1" } }, /^limits: spendPerDay/],
    [
      "no window",
      { verifications: { fraud: { window: "0 seconds" } } },
      /^verifications\.fraud: window must be/,
    ],
    [
      "a share above 1",
      { verifications: { fraud: { minConversion: 2 } } },
      /^verifications\.fraud: minConversion/,
    ],
    ["two ways to say a price", { prices: { sms: "1", of: () => "1" } }, /^prices\.of/],
    [
      "a test number that is not served",
      {
        countries: ["BD"],
        testNumbers: { numbers: [{ phoneNumber: "+12025550123", code }] },
      },
      /^testNumbers: number 1 numbers of this country/,
    ],
    [
      "an invalid test code",
      { testNumbers: { numbers: [{ phoneNumber: "+8801700000000", code: `x${code}` }] } },
      /^testNumbers: number 1 must have a code/,
    ],
    [
      "no text",
      { verifications: { texts: { templates: [] } } },
      /^verifications\.texts: there is no template/,
    ],
    [
      "a text for some only",
      {
        verifications: {
          texts: { templates: [{ locale: "en-us", organization: "acme", text: () => "x" }] },
        },
      },
      /^verifications\.texts: No template of en-us names no organization/,
    ],
    [
      "an invalid domain",
      { verifications: { texts: { domain: "https://example.com" } } },
      /^verifications\.texts: A domain/,
    ],
    [
      "no patience",
      { verifications: { fallback: { reportWithin: "0 seconds" } } },
      /^verifications\.fallback: reportWithin must be/,
    ],
    [
      "one partition",
      { database: { url: noDatabase, partitions: 1 } },
      /^database\.partitions must/,
    ],
    ["no days for the audit", { retention: { audit: "0 days" } }, /^retention\.audit must/],
  ] satisfies ReadonlyArray<readonly [string, Partial<Countersign.CountersignOptions>, RegExp]>)(
    "is refused with %s, without quoting a secret",
    async (_, options, message) => {
      const error = await failure(host({ database: noDatabase, ...options }))
      assert.instanceOf(error, Countersign.ConfigurationError)
      assert.match(error.message, message)
      assert.notMatch(error.message, /secret@|short secret|only for tests|7390284615/)
    },
  )

  it.each([
    [
      "",
      /^database is empty, probably because its environment variable is not set: write postgres:/,
    ],
    [" ", /^database is empty/],
    [
      "mysql://me:hunter2@db/app",
      /^database is an address of MySQL, but must be of PostgreSQL: write/,
    ],
    ["file:./dev.db", /^database is an address of SQLite/],
    ["hunter2:hunter2@db/app", /^database must be a URL such as postgres:/],
    ["localhost/app", /^database must be a URL such as postgres:/],
    [
      "postgres://localhost:5432",
      /^database names no database: write postgres:\/\/localhost:5432\/countersign$/,
    ],
    [
      "postgresql://jane:hunter2@[::1]:1/?sslmode=require",
      /names no database: write postgres:\/\/user:password@\[::1\]:1\/countersign$/,
    ],
  ] as const)(
    "says what is wrong with the address %j before anything else",
    async (url, message) => {
      const options = { database: url, secret: "short", limits: { attempts: 0 } }
      const errors = [
        await failure(Countersign.createCountersign(options)),
        await failure(Countersign.migrateCountersign({ database: url })),
      ]
      for (const error of errors) {
        assert.instanceOf(error, Countersign.ConfigurationError)
        assert.match(error.message, message)
        assert.notMatch(error.message, /hunter2|jane|me:/)
      }
    },
  )

  it.each([
    [{ trustedProxies: ["proxy"] }, /^admin\.trustedProxies: "proxy" is no IP address/],
    [{ maxStreams: 0 }, /^admin\.maxStreams must be a number above 0$/],
  ])(
    "refuses the admin API with %j at once, and not at its first request",
    async (options, message) => {
      const { engine } = await host({ database: "memory" })
      const mount = () => engine.admin({ authorize: () => undefined, ...options })
      assert.throws(mount, Countersign.ConfigurationError, message)
    },
  )

  const server = new URL(inject("postgresUrl"))
  const own = `postgres://${server.username}:${server.password}@${server.host}`
  const address = server.host.replaceAll(".", "\\.")
  it.each([
    [
      "a closed port",
      "postgres://jane:hunter2@127.0.0.1:1/none",
      '"none" on 127\\.0\\.0\\.1:1: .*ECONNREFUSED',
    ],
    [
      "a closed port of a name",
      "postgres://jane:hunter2@localhost:1/none",
      '"none" on localhost:1: .*ECONNREFUSED',
    ],
    ["an unknown database", `${own}/none`, `"none" on ${address}: database "none" does not exist`],
    [
      "a wrong password",
      `postgres://${server.username}:hunter2@${server.host}/none`,
      `"none" on ${address}: password authentication failed`,
    ],
    [
      "an unknown user",
      `postgres://jane:hunter2@${server.host}/none`,
      `"none" on ${address}: password authentication failed`,
    ],
    [
      "an unknown user in a parameter",
      `postgres://${server.host}/?user=jane&password=hunter2&dbname=none`,
      `"none" on ${address}: password authentication failed`,
    ],
  ])(
    "fails with %s, and names the database without user and password",
    async (_, database, message) => {
      const errors = await Promise.all([
        failure(host({ database })),
        failure(host({ database: { url: database, migrate: false } })),
        failure(Countersign.migrateCountersign({ database })),
      ])
      for (const error of errors) {
        assert.instanceOf(error, Countersign.StartError)
        assert.match(error.message, new RegExp(message))
        const shown = inspect(error, { depth: 10 }).replaceAll(/at .*/g, "")
        assert.notMatch(shown, new RegExp(`hunter2|jane|user "${server.username}"`))
      }
    },
  )

  it("can leave migrations to a separate call, which can be repeated", async () => {
    const options = { database: { url: await database(), migrate: false } }
    const unready = await failure(host(options))
    assert.instanceOf(unready, Countersign.StartError)
    assert.match(unready.message, /lacks migration 1 initial/)
    await Countersign.migrateCountersign(options)
    await Countersign.migrateCountersign(options)
    const { engine } = await host(options)
    const { items: listed } = await engine.organizations.list()
    assert.deepStrictEqual(
      listed.map(({ id }) => id),
      ["default"],
    )
  })

  it("keeps the limit on checks that the host has set", async () => {
    const limits = { checksPerOrganization: { max: 1, per: "1 minute" } } as const
    const { engine } = await host({ limits })
    const check = () => failure(engine.verifications.check({ requestId: "vrf_none", code: "1" }))
    await check()
    assert.instanceOf(await check(), Countersign.RateLimitedError)
  })

  it("adds new senders from the options, and keeps later changes of the host", async () => {
    const url = await database()
    const first = await host({ database: url, senders: { sms: "8809612000101" } })
    await first.engine.senders.update({ id: "whatsapp", value: "shop" })
    await first.engine.dispose()
    const second = await host({ database: url, senders: { sms: "8809612000102" } })
    const { items: listed } = await second.engine.senders.list()
    assert.deepStrictEqual(Object.fromEntries(listed.map(({ id, value }) => [id, value])), {
      sms: "8809612000102",
      whatsapp: "shop",
    })
  })
})

describe("an embedded database", () => {
  const folder = temporaryFolder("countersign-embedded-")

  it("is in a folder, logs that once, and prints messages without a gateway", async () => {
    const lines: Array<string> = []
    const log = ({ level, message }: Countersign.LogRecord) =>
      void lines.push(`${level}: ${message}`)
    const number = phone()
    {
      await using engine = await Countersign.createCountersign({
        database: { folder },
        secret,
        log,
      })
      const { requestId } = await engine.verifications.send({ phoneNumber: number })
      assert.lengthOf(
        lines.filter((line) => line.includes(folder)),
        1,
      )
      const [, code = ""] = lines.at(-1)?.match(/: (\d{6}) is your/) ?? []
      await engine.verifications.check({ requestId, code })
      const second = await failure(
        Countersign.createCountersign({ database: { folder }, secret, log: () => {} }),
      )
      assert.instanceOf(second, Countersign.StartError)
      assert.match(second.message, /in use/)
    }
    await using again = await Countersign.createCountersign({
      database: { folder },
      secret,
      log: () => {},
    })
    assert.strictEqual(await again.messages.count(), 1)
  })
})
