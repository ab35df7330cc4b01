/** The configuration of `countersign serve`: from a file, from the environment, and from both. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, test } from "vitest"
import { ConfigurationError } from "../src/index.ts"
import { vendors } from "../src/internal/serve/namedGateways.ts"
import { serveTexts } from "../src/internal/options/serveTexts.ts"
import * as Serve from "../src/serve.ts"

const folder = mkdtempSync(join(tmpdir(), "countersign-serve-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const json = (value: unknown): Serve.ConfigFile => ({ value, isJson: true })

const read = (environment: Serve.Environment, value: unknown = {}) =>
  Serve.readServeOptions(json(value), environment)

/** The sentence of a refusal. */
const refusal = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    assert.instanceOf(error, ConfigurationError)
    return error.message
  }
  return assert.fail("nothing was refused")
}

const secret = "0123456789abcdefghijklmnopqrstuvwxyz"

describe("a variable", () => {
  test.each([
    ["a text", "DATABASE_URL", "postgres://h/d", { database: { url: "postgres://h/d" } }],
    ["a number", "PORT", "8080", { listen: { port: 8_080 } }],
    ["a word for yes", "COUNTERSIGN_DATABASE_MIGRATE", "false", { database: { migrate: false } }],
    ["a duration", "COUNTERSIGN_SETTLE_AFTER", "2 hours", { settleAfter: "2 hours" }],
    ["a choice", "COUNTERSIGN_PRICES_PER", "segment", { prices: { per: "segment" } }],
    ["a list", "COUNTERSIGN_COUNTRIES", "BD, IN", { countries: ["BD", "IN"] }],
    ["a list of one", "COUNTERSIGN_COUNTRIES", "BD", { countries: ["BD"] }],
    ["one secret", "COUNTERSIGN_SECRET", secret, { secret }],
    ["secrets", "COUNTERSIGN_SECRET", `${secret} ${secret}2`, { secret: [secret, `${secret}2`] }],
    ["a JSON list", "COUNTERSIGN_SECRET", '["a b","c d"]', { secret: ["a b", "c d"] }],
    ["null", "COUNTERSIGN_LIMITS_SPEND_PER_DAY", "null", { limits: { spendPerDay: null } }],
    [
      "a window",
      "COUNTERSIGN_LIMITS_SENDS_PER_NUMBER",
      '{"max":1,"per":"1 day"}',
      { limits: { sendsPerNumber: { max: 1, per: "1 day" } } },
    ],
    ["an object", "COUNTERSIGN_PRICES", '{"sms":"0.50"}', { prices: { sms: "0.50" } }],
    [
      "what is not recorded",
      "COUNTERSIGN_RECORDS_OFF",
      "totals,events",
      { records: { totals: false, events: false } },
    ],
    ["nothing", "COUNTERSIGN_SECRET", "", {}],
  ])("sets %s", (_, name, text, expected) => {
    assert.deepStrictEqual<object>(read({ [name]: text }), expected)
  })

  test.each([
    ["COUNTERSIGN_HTTP_MAX_REQUEST", "1", "did you mean COUNTERSIGN_HTTP_MAX_REQUESTS?"],
    ["COUNTERSIGN_SECRETS_FILE", "1", "did you mean COUNTERSIGN_SECRET?"],
    ["COUNTERSIGN_XYZZY_PLUGH", "1", "COUNTERSIGN_XYZZY_PLUGH is not a setting"],
    ["PORT", "eighty", "PORT must be a number"],
    ["COUNTERSIGN_DATABASE_MIGRATE", "no", "COUNTERSIGN_DATABASE_MIGRATE must be true or false"],
    ["COUNTERSIGN_PRICES_PER", "letter", 'must be "message" or "segment"'],
    ["COUNTERSIGN_SETTLE_AFTER", "2 fortnights", "COUNTERSIGN_SETTLE_AFTER"],
    ["COUNTERSIGN_PRICES", "{sms: canary}", "COUNTERSIGN_PRICES must be JSON"],
    ["COUNTERSIGN_PRICES", '{"smss":"1"}', "did you mean sms?"],
    ["COUNTERSIGN_RECORDS_OFF", "balances", "may name"],
    ["COUNTERSIGN_SECRET_FILE", "/none/canary", "the file /none/canary cannot be read (ENOENT)"],
  ])("%s=%s is refused", (name, text, expected) => {
    const message = refusal(() => read({ [name]: text }))
    assert.include(message, expected)
    if (!name.endsWith("_FILE")) assert.notInclude(message, "canary")
  })

  test("comes from a file, and not from two places", () => {
    const path = file("secret", `${secret}\n`)
    assert.deepStrictEqual<object>(read({ COUNTERSIGN_SECRET_FILE: path }), { secret })
    const both = { COUNTERSIGN_SECRET: secret, COUNTERSIGN_SECRET_FILE: path }
    assert.include(
      refusal(() => read(both)),
      "are both set",
    )
  })

  test("takes precedence over the file, member by member", () => {
    const own = { prices: { sms: "1", whatsapp: "2", currency: "BDT" }, secret: "file" }
    const environment = {
      COUNTERSIGN_PRICES: '{"sms":"3","whatsapp":"4"}',
      COUNTERSIGN_PRICES_WHATSAPP: "5",
    }
    assert.deepStrictEqual<object>(read(environment, own), {
      prices: { sms: "3", whatsapp: "5", currency: "BDT" },
      secret: "file",
    })
  })
})

describe("a file", () => {
  test("in JSON has values that stand elsewhere", () => {
    const value = {
      $schema: "countersign.schema.json",
      secret: { file: file("other", "from a file") },
      gateways: [{ vendor: "twilio", authToken: { env: "TOKEN" } }],
    }
    assert.deepStrictEqual<object>(read({ TOKEN: "from a variable" }, value), {
      secret: "from a file",
      gateways: [{ vendor: "twilio", authToken: "from a variable" }],
    })
    const inFile = read({ TOKEN_FILE: file("token", "from another file") }, value)
    assert.deepNestedPropertyVal(inFile, "gateways[0].authToken", "from another file")
    assert.include(
      refusal(() => read({}, value)),
      "gateways.0.authToken: the variable TOKEN is not set",
    )
  })

  test("in code keeps its values", () => {
    const { log } = console
    const options = Serve.readServeOptions({ value: { log }, isJson: false }, {})
    assert.strictEqual(options.log, log)
  })

  test.each([
    [{ secrets: "x" }, "secrets is not an option; did you mean secret?"],
    [{ http: { maxRequest: 1 } }, "http.maxRequest is not an option; did you mean maxRequests?"],
    [{ clock: {} }, "clock is not an option"],
    [{ listen: { port: "80" } }, "listen.port must be a number"],
    [[], "the options must be an object"],
  ])("%j is refused", (value, expected) => {
    assert.include(
      refusal(() => read({}, value)),
      expected,
    )
  })
})

describe("a check", () => {
  const check = async (value: unknown): Promise<string> => {
    try {
      await Serve.checkServeOptions(read({}, value))
      return "valid"
    } catch (error) {
      assert.instanceOf(error, ConfigurationError)
      return error.message
    }
  }
  const twilio = { vendor: "twilio", accountSid: "AC1", authToken: "canary" }
  const database = { folder: join(folder, "data") }

  test.each([
    ["a vendor", { gateways: [twilio] }, "valid"],
    [
      "a vendor for each channel",
      { gateways: { sms: twilio, whatsapp: { ...twilio, name: "other" } } },
      "valid",
    ],
    ["an unknown vendor", { gateways: [{ vendor: "twillio" }] }, "did you mean twilio?"],
    [
      "an unknown option of a vendor",
      { gateways: [{ ...twilio, authTokens: "x" }] },
      "gateways.0 (twilio).authTokens is not an option; did you mean authToken?",
    ],
    ["a missing option", { gateways: [{ vendor: "twilio" }] }, "twilio: accountSid is missing"],
    ["another channel", { gateways: { smss: twilio } }, "did you mean sms?"],
    ["no gateway", { gateways: "twilio" }, "gateways must be a list"],
    ["a route of no gateway", { gateways: [twilio], routing: { routes: [{ gateway: "x" }] } }, "x"],
    ["a short secret", { secret: "short" }, "a secret has at least 32 characters"],
    ["a short token", { admin: { token: "canary" } }, "admin.token: a secret has at least 32"],
    ["a port", { listen: { port: 70_000 } }, "listen.port must be a whole number"],
    ["production without a gateway", { production: true, secret }, "gateways: name one"],
  ])("of %s connects to nothing, and says what is wrong", async (_, value, expected) => {
    const said = await check({ database, ...value })
    assert.include(said, expected)
    assert.notInclude(said, "canary")
  })
})

describe("the table of settings", () => {
  test("has one variable and one text for each option", () => {
    const variables = Serve.settings.map(({ variable }) => variable)
    assert.strictEqual(new Set(variables).size, variables.length)
    for (const { path } of Serve.settings) assert.isNotEmpty(serveTexts[path], path)
  })
})

test("the schema has the places of all settings, and every vendor", async () => {
  const schema: unknown = await Serve.configSchema()
  const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
    path.reduce<unknown>(
      (inner, name) =>
        typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : {},
      value,
    )
  for (const { path } of Serve.settings) {
    const place = path.split(".").flatMap((name) => ["properties", name])
    const inDatabase = path.startsWith("database.")
      ? ["properties", "database", "anyOf", "0", ...place.slice(2)]
      : place
    assert.isObject(at(schema, inDatabase), path)
  }
  const gateways = at(schema, ["$defs", "gateway", "oneOf"])
  assert.lengthOf(Array.isArray(gateways) ? gateways : [], Object.keys(vendors).length)
})
