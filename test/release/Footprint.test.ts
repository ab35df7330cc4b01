/**
 * What Countersign adds to an app on Express: packages, disk, memory and time to start, and that bundlers
 * and both module systems take it. `docs/explanation/footprint.md` has the figures.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { build, type Format } from "esbuild"
import * as Schema from "effect/Schema"
import { assert, beforeAll, describe, inject, test } from "vitest"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { express, install, type Project, service } from "../tools/installed.ts"
import { tarballsIn } from "../tools/packing.ts"
import { run, succeeded } from "../tools/run.ts"

const folder = temporaryFolder("countersign-footprint-")
const emptyDatabase = temporaryDatabases()

const home = ({ name }: Project): string => join(folder, name)

const source = join(home(service), "src/service.ts")

beforeAll(async () => {
  const tarballOf = await tarballsIn(inject("tarballsFolder"))
  for (const project of [express, service]) {
    succeeded(await install(project, home(project), tarballOf))
  }
  // As a host builds it: Node's own removal of types takes memory as well.
  await build({ entryPoints: [source], outfile: join(home(service), "service.mjs"), format: "esm" })
})

/** The files below `node_modules`, relative to it. */
const filesOf = (project: Project): ReadonlyArray<string> =>
  readdirSync(join(home(project), "node_modules"), { encoding: "utf8", recursive: true })

const packagesOf = (project: Project): ReadonlyArray<string> =>
  filesOf(project).flatMap((file) => {
    const [, name] =
      /^((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/@]+)\/package\.json$/.exec(file) ?? []
    return name === undefined ? [] : [name]
  })

const megabytesOf = (project: Project): number =>
  filesOf(project)
    .map((file) => statSync(join(home(project), "node_modules", file)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0) / 1e6

describe("an installation", () => {
  test("adds these packages to those of Express, and no others", () => {
    const before = new Set(packagesOf(express))
    assert.isAbove(before.size, 20)
    assert.deepStrictEqual(
      packagesOf(service)
        .filter((name) => !before.has(name))
        .toSorted(),
      [
        "@countersign/core",
        "@countersign/express",
        "@countersign/gateways",
        "@countersign/http",
        "@countersign/node",
        "@countersign/postgres",
        "@countersign/proofs",
        "@effect/sql-pg",
        "@electric-sql/pglite",
        "countersign",
        "effect",
        "jose",
        "libphonenumber-js",
        "oauth4webapi",
        "openid-client",
      ],
    )
  })

  test("takes at most 115 MB of the disk", () => {
    const megabytes = Math.round(megabytesOf(service))
    console.log(`${packagesOf(service).length} packages, ${megabytes} MB`)
    assert.isAtMost(megabytes, 115)
  })
})

const Started = Schema.fromJsonString(
  Schema.Struct({
    readyMillis: Schema.Int,
    processorMillis: Schema.Int,
    rssMegabytes: Schema.Int,
    peakMegabytes: Schema.Int,
    status: Schema.Int,
  }),
)

const Loaded = Schema.fromJsonString(Schema.Array(Schema.String))

/**
 * Far above what is measured, to notice a multiple. Time is the processor's until the app is ready: that of
 * a clock is also what other processes of the machine take.
 */
const bounds = {
  postgres: { megabytes: 200, millis: 6_000 },
  embedded: { megabytes: 1_000, millis: 20_000 },
  // Without the packed folder, which bundlers leave behind.
  "embedded, bundled": { megabytes: 1_600, millis: 40_000 },
} as const

/** Runs a program of an app, or its bundle, to its end. */
const start = async (cwd: string, file: string, database: keyof typeof bounds): Promise<void> => {
  const place: Record<string, string> =
    database === "postgres"
      ? { DATABASE_URL: await emptyDatabase() }
      : { DATA_DIR: join(cwd, "data") }
  // As a host runs it: Node optimizes WebAssembly, which takes memory.
  const env = { ...place, NODE_OPTIONS: "" }
  const finished = await run(process.execPath, [file], { cwd, env, timeoutMillis: 120_000 })
  const started = Schema.decodeSync(Started)(succeeded(finished).trim())
  const { peakMegabytes, processorMillis, readyMillis, rssMegabytes, status } = started
  console.log(
    `${file}, ${database}: ready after ${readyMillis} ms (${processorMillis} of the processor) with ${rssMegabytes} MB; peak ${peakMegabytes} MB`,
  )
  assert.strictEqual(status, 200)
  assert.isBelow(peakMegabytes, bounds[database].megabytes)
  assert.isBelow(processorMillis, bounds[database].millis)
}

describe("an app", () => {
  test("starts on PostgreSQL", () => start(home(service), "service.mjs", "postgres"))

  test("starts on the embedded database, in a new folder and in an existing one", async () => {
    await start(home(service), "service.mjs", "embedded")
    await start(home(service), "service.mjs", "embedded")
  })

  test.each([
    [
      "import",
      'import("countersign").then(({ createCountersign }) => console.log(typeof createCountersign))',
    ],
    ["require", 'console.log(typeof require("countersign").createCountersign)'],
  ])("may import countersign by %s", async (_, program) => {
    const finished = await run(process.execPath, ["-e", program], { cwd: home(service) })
    assert.strictEqual(succeeded(finished), "function\n")
  })
})

const importing = `
  import { registerHooks } from "node:module"
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  await import("countersign")
  console.log(JSON.stringify(urls))`

test("an import reads our code from its bundle, and libphonenumber's plans alone", async () => {
  const args = ["--input-type=module", "-e", importing]
  const finished = await run(process.execPath, args, { cwd: home(service) })
  const urls = Schema.decodeSync(Loaded)(succeeded(finished))
  const from = (text: string): number => urls.filter((url) => url.includes(text)).length
  // A part that only some entries need is a file of its own.
  assert.isAtMost(from("/countersign/bundle/"), 56)
  assert.strictEqual(from("/@countersign/"), 0)
  assert.strictEqual(from("/libphonenumber-js/"), 1)
})

/** What a bundle of ES modules needs for the packages that call `require`, as Express does. */
const requireBanner =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'

describe.each([
  ["esm", "service.mjs"],
  ["cjs", "service.cjs"],
] satisfies ReadonlyArray<readonly [Format, string]>)("a bundle in format %s", (format, file) => {
  const out = join(folder, `bundled-${format}`)

  beforeAll(async () => {
    await build({
      entryPoints: [source],
      outfile: join(out, file),
      bundle: true,
      platform: "node",
      format,
      banner: { js: format === "esm" ? requireBanner : "" },
      // Finds its files by its own place.
      external: ["@electric-sql/pglite"],
      logLevel: "error",
    })
  })

  test("runs on PostgreSQL without any node_modules", () => start(out, file, "postgres"))

  test("runs on the embedded database with PGlite beside it", async () => {
    const pglite = "node_modules/@electric-sql/pglite"
    mkdirSync(join(out, pglite), { recursive: true })
    cpSync(join(home(service), pglite), join(out, pglite), { recursive: true })
    await start(out, file, "embedded, bundled")
  })
})

test("a bundle of ES modules finds the packed folder beside it", async () => {
  const out = join(folder, "bundled-esm")
  rmSync(join(out, "data"), { recursive: true })
  const packed = "@countersign/postgres/dist/internal/pglite/initialData.br"
  cpSync(join(home(service), "node_modules", packed), join(out, basename(packed)))
  await start(out, "service.mjs", "embedded")
})
