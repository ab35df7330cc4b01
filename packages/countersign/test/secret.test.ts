import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { temporaryFolder } from "../../../test/support/temporaryFolder.ts"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { inEnvironment, strongSecret } from "./support/production.ts"
import { failure, phone } from "./support/values.ts"

const { database } = hosts()
const home = temporaryFolder("countersign-secret-")

const noDatabase = "postgres://127.0.0.1:1/none"
const published = "at least 32 characters, from a vault"
const gateway = Countersign.developmentGateway()
const quiet = { gateways: { sms: gateway }, log: () => {} }

const refusal = async (
  environment: string | undefined,
  options: Countersign.CountersignOptions,
): Promise<string> => {
  const error = await inEnvironment(environment, () =>
    failure(Countersign.createCountersign({ ...quiet, ...options })),
  )
  return `${error.name}: ${error.message}`
}

describe("without a secret", () => {
  it("the embedded database keeps one in its folder, readable by the owner only", async () => {
    const folder = join(home, "kept")
    const lines: Array<string> = []
    const log = ({ level, message }: Countersign.LogRecord) =>
      void lines.push(`${level}: ${message}`)
    const number = phone()
    let requestId = ""
    {
      await using engine = await Countersign.createCountersign({
        ...quiet,
        database: { folder },
        log,
      })
      requestId = (await engine.verifications.send({ phoneNumber: number })).requestId
    }
    assert.deepStrictEqual(lines, [
      `info: Countersign: the data and a secret are kept in the folder ${folder}.`,
    ])
    const file = join(folder, "secret")
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.match(readFileSync(file, "utf8"), /^[0-9a-f]{64}\n$/)
    // A restart knows the codes of before.
    await using engine = await Countersign.createCountersign({ ...quiet, database: { folder } })
    const { isFirst } = await engine.verifications.check({
      requestId,
      code: gateway.latestCode(number),
    })
    assert.isTrue(isFirst)
  })

  it("a file with a short secret is rejected and kept", async () => {
    const folder = mkdtempSync(join(home, "short-"))
    writeFileSync(join(folder, "secret"), "hunter2")
    const message = await refusal(undefined, { database: { folder } })
    assert.match(message, /^ConfigurationError: secret: .* has fewer than 32 characters$/)
    assert.strictEqual(readFileSync(join(folder, "secret"), "utf8"), "hunter2")
  })

  it("a folder that cannot be created is named", async () => {
    const file = join(home, "a file")
    writeFileSync(file, "")
    const message = await refusal(undefined, { database: { folder: join(file, "data") } })
    assert.match(message, /^ConfigurationError: secret: the file .*a file\/data\/secret cannot be/)
  })

  it("each database in memory has its own", async () => {
    await using engine = await Countersign.createCountersign({ ...quiet, database: "memory" })
    const number = phone()
    const { requestId } = await engine.verifications.send({ phoneNumber: number })
    const code = gateway.latestCode(number)
    assert.isTrue((await engine.verifications.check({ requestId, code })).isFirst)
  })

  it.each([
    [
      undefined,
      { database: noDatabase },
      /secret is missing: with a database server set 32 random/,
    ],
    ["development", { database: noDatabase }, /secret is missing: with a database server/],
    ["production", { database: noDatabase }, /secret is missing: in production set 32 random/],
    [
      "production",
      { database: { folder: join(home, "none") } },
      /secret is missing: in production/,
    ],
  ] as const)("NODE_ENV %s with %j is rejected", async (environment, options, message) => {
    assert.match(await refusal(environment, options), message)
  })

  it("an invalid option is rejected before a folder is created", async () => {
    const folder = join(home, "untouched")
    const message = await refusal(undefined, { database: { folder }, limits: { attempts: 0 } })
    assert.match(message, /attempts/)
    assert.throws(() => statSync(folder), /ENOENT/)
  })
})

describe("a secret from the documentation", () => {
  it.each([
    [undefined, noDatabase, true],
    ["production", noDatabase, true],
    ["development", noDatabase, false],
    ["test", noDatabase, false],
  ])("with NODE_ENV %s on %s is rejected: %s", async (environment, url, isRefused) => {
    const message = await refusal(environment, { database: url, secret: published })
    assert.strictEqual(/this secret stands in the documents/.test(message), isRefused, message)
  })

  it("is accepted in memory and in a folder, because no other process reads the codes there", async () => {
    await inEnvironment(undefined, async () => {
      for (const place of ["memory", { folder: join(home, "published") }]) {
        const all = { ...quiet, database: place, secret: published }
        await (await Countersign.createCountersign(all)).dispose()
      }
    })
  })

  it("can be replaced by a random one on a server", async () => {
    const options = { ...quiet, database: await database(), secret: strongSecret }
    await (await Countersign.createCountersign(options)).dispose()
  })
})
