import { join } from "node:path"
import * as Schema from "effect/Schema"
import { assert, it } from "vitest"
import { temporaryDatabases } from "../../../test/support/temporaryDatabases.ts"
import { run } from "../../../test/tools/run.ts"
import { secret } from "./support/host.ts"

const emptyDatabase = temporaryDatabases()

/** Starts, answers a request, then one to the admin API, and prints what was loaded before either answer. */
const program = `
  import { registerHooks } from "node:module"
  const loaded = []
  registerHooks({
    load: (url, context, next) => {
      loaded.push(url)
      return next(url, context)
    },
  })
  const { createCountersign } = await import("countersign")
  const { DATABASE: database, SECRET: secret } = process.env
  const countersign = await createCountersign({ database, secret, log: () => {} })
  const admin = countersign.admin({ authorize: () => undefined })
  const { key } = await countersign.apiKeys.create({ name: "another service" })
  const { createServer, get } = process.getBuiltinModule("node:http")
  const server = createServer((request, response) => {
    const mount = request.url.startsWith("/admin") ? admin : countersign
    mount.listener(request, response)
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const answers = []
  for (const path of ["/api/v2/balance", "/admin/api/me"]) {
    const { port } = server.address()
    const headers = { authorization: "Bearer " + key }
    const status = await new Promise((resolve, reject) => {
      get({ host: "127.0.0.1", port, path, headers }, (response) => {
        resolve(response.resume().statusCode)
      }).once("error", reject)
    })
    answers.push({ status, loaded: [...loaded, ...process.moduleLoadList] })
  }
  server.closeAllConnections()
  server.close()
  await countersign.dispose()
  console.log(JSON.stringify(answers))`

/** What a start may leave to later, or to other hosts. */
const parts = {
  "the store in memory": "/core/src/adapters/MemoryStore.ts",
  "the store on PostgreSQL": "/postgres/src/PostgresStore.ts",
  "the connections of the store": "/postgres/src/PostgresPool.ts",
  "the connections of a host": "/sql-pg/dist/PgClient.js",
  "the embedded database": "PgliteClient.ts",
  "the admin API": "/http/src/admin/Admin.ts",
  "the description of the interface": "/tenant/internal/documentation.ts",
  "the page at /docs": "HttpApiScalar",
  "the router": "/core/src/routing/Router.ts",
  "a vendor": "/gateways/src/HttpVendor.ts",
  "an HTTP client": "/http/FetchHttpClient.js",
  "the client behind fetch": "internal/deps/undici/undici",
  "configuration by the environment": "/effect/dist/Config.js",
  "the command line": "/cli/",
  proofs: "/jose/",
}

const partsIn = (loaded: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(parts)
    .filter(([, text]) => loaded.some((name) => name.includes(text)))
    .map(([part]) => part)

const Answers = Schema.fromJsonString(
  Schema.Tuple([
    Schema.Struct({ status: Schema.Literal(200), loaded: Schema.Array(Schema.String) }),
    Schema.Struct({ status: Schema.Literal(401), loaded: Schema.Array(Schema.String) }),
  ]),
)

it.each<{ place: string; database: () => Promise<string>; store: ReadonlyArray<string> }>([
  { place: "in memory", database: async () => "memory", store: ["the store in memory"] },
  {
    place: "on PostgreSQL",
    database: emptyDatabase,
    store: ["the store on PostgreSQL", "the connections of the store"],
  },
])(
  "an engine $place has loaded its store alone when it answers its first request",
  async ({ database, store }) => {
    const { code, stderr, stdout } = await run(
      process.execPath,
      ["--input-type=module", "-e", program],
      {
        cwd: join(import.meta.dirname, ".."),
        env: { DATABASE: await database(), SECRET: secret, NODE_ENV: "test" },
        timeoutMillis: 60_000,
      },
    )
    assert.strictEqual(code, 0, stderr)
    const [first, second] = Schema.decodeSync(Answers)(stdout)
    assert.deepStrictEqual(partsIn(first.loaded), store)
    assert.include(partsIn(second.loaded), "the admin API")
  },
)
