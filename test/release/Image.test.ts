/**
 * deploy/Dockerfile, without Docker: its commands run in empty folders, what they leave is measured, and the program of
 * the image runs there as another user who can write nothing.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, test } from "vitest"
import { parse } from "yaml"
import { eventually } from "../support/eventually.ts"
import { freePorts } from "../support/freePorts.ts"
import { serverUser } from "../support/PostgresServer.ts"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { tarballsIn } from "../tools/packing.ts"
import { root } from "../tools/paths.ts"
import { environment, run, succeeded } from "../tools/run.ts"

const deploy = join(root, "deploy")

interface Instruction {
  readonly name: string
  readonly argument: string
}

interface Stage {
  readonly base: string
  readonly instructions: ReadonlyArray<Instruction>
}

/** The stages of a Dockerfile, its lines joined, without its comments. */
const stagesOf = (dockerfile: string): ReadonlyArray<Stage> => {
  const lines = dockerfile
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
  const stages: Array<{ base: string; instructions: Array<Instruction> }> = []
  for (const line of lines) {
    const [, name = "", argument = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (name === "FROM") stages.push({ base: argument, instructions: [] })
    else stages.at(-1)?.instructions.push({ name, argument: argument.trim() })
  }
  return stages
}

const dockerfile = readFileSync(join(deploy, "Dockerfile"), "utf8")
const [building, final] = stagesOf(dockerfile)

const argumentOf = (stage: Stage | undefined, name: string): string =>
  stage?.instructions.find((one) => one.name === name)?.argument ?? assert.fail(name)

const folder = temporaryFolder("countersign-image-")
/** Where the final image has its files. */
const image = join(folder, "image")
const emptyDatabase = temporaryDatabases()
const children: Array<ReturnType<typeof spawn>> = []
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
})

beforeAll(async () => {
  const tarballOf = await tarballsIn(inject("tarballsFolder"))
  const context = join(folder, "context")
  mkdirSync(join(context, "tarballs"), { recursive: true })
  for (const file of readdirSync(dirname(tarballOf("countersign")))) {
    if (!file.endsWith(".tgz")) continue
    cpSync(join(dirname(tarballOf("countersign")), file), join(context, "tarballs", file))
  }
  const work = join(folder, "build")
  mkdirSync(work)
  for (const { argument, name } of building?.instructions ?? []) {
    if (name === "COPY") {
      const [from = "", to = ""] = argument.split(" ")
      cpSync(join(context, from), join(work, to), { recursive: true })
    } else if (name === "RUN") {
      succeeded(await run("sh", ["-ec", argument], { cwd: work, timeoutMillis: 600_000 }))
    } else {
      assert.strictEqual(name, "WORKDIR")
    }
  }
  mkdirSync(image)
  const [, , to = ""] = argumentOf(final, "COPY").split(" ")
  const from = join(work, "node_modules")
  assert.include(argumentOf(final, "COPY"), join(argumentOf(building, "WORKDIR"), "node_modules"))
  cpSync(from, join(image, to), { recursive: true, verbatimSymlinks: true })
}, 900_000)

const bytesIn = (path: string): number =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((file) => statSync(join(path, file)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)

/**
 * `node:24-alpine`: Alpine 8 MB, the binary of Node 127 MB, its headers, npm and yarn 30 MB. It is 57 MB compressed.
 */
const baseMegabytes = 165

test("the image is smaller than 250 MB", () => {
  const own = bytesIn(image) / 1e6
  console.log(`${own.toFixed(0)} MB of our own, on a base of ${baseMegabytes} MB`)
  assert.isAbove(own, 10)
  assert.isBelow(baseMegabytes + own, 250)
})

test("the image serves as a user who can write nothing, and its health check passes", async () => {
  assert.strictEqual(argumentOf(final, "USER"), "node")
  const [port = 0] = await freePorts(1)
  const user = serverUser()
  chmodSync(folder, 0o755)
  succeeded(await run("chmod", ["-R", "a-w,a+rX", image]))
  const entry: ReadonlyArray<string> = JSON.parse(argumentOf(final, "ENTRYPOINT"))
  const command: ReadonlyArray<string> = JSON.parse(argumentOf(final, "CMD"))
  const [program = "", ...args] = [...entry, ...command]
  assert.strictEqual(program, "node")
  const database = await emptyDatabase()
  const child = spawn(process.execPath, [...args], {
    cwd: image,
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    env: environment({
      NODE_OPTIONS: "",
      NODE_COMPILE_CACHE: "",
      NODE_ENV: "production",
      PORT: String(port),
      DATABASE_URL: database,
      COUNTERSIGN_SECRET: "6b1f0c9d2e8a47355f90ab34cd12ef78",
      COUNTERSIGN_SHUTDOWN_WAIT: "0 seconds",
      COUNTERSIGN_GATEWAYS: '[{"vendor":"alpha-sms","apiKey":"the key of the account"}]',
    }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  children.push(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  }
  await eventually(() => assert.include(output, "ready at"), { withinMillis: 120_000 })
  const [, check = ""] = argumentOf(final, "HEALTHCHECK").split(/ CMD(?= \[)/)
  const [, ...words]: ReadonlyArray<string> = JSON.parse(check)
  const address = words.at(-1) ?? ""
  // The command of the image is `wget` of BusyBox, which every system has under another name.
  assert.strictEqual(address, "http://127.0.0.1:3000/health")
  assert.strictEqual((await fetch(address.replace("3000", String(port)))).status, 200)
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  assert.deepStrictEqual(await exited, [0, null], output)
})

describe("the files beside it", () => {
  test("the Dockerfile has no finding of dockerfilelint", async () => {
    const linted = await run("dockerfilelint", ["--json", join(deploy, "Dockerfile")])
    const { totalIssues }: { totalIssues: number } = JSON.parse(linted.stdout)
    assert.strictEqual(totalIssues, 0, linted.stdout)
  })

  test("compose.yaml names files that exist, and secrets and services that it defines", () => {
    const compose: {
      services: Record<string, Record<string, unknown>>
      configs: Record<string, { file?: string }>
      secrets: Record<string, unknown>
      volumes: Record<string, unknown>
    } = parse(readFileSync(join(deploy, "compose.yaml"), "utf8"), { merge: true })
    assert.sameMembers(Object.keys(compose.services), [
      "node1",
      "node2",
      "migrate",
      "db",
      "pgbouncer",
      "haproxy",
      "prometheus",
      "grafana",
    ])
    const present = readdirSync(deploy)
    const used = new Set<string>()
    for (const service of Object.values(compose.services)) {
      const { configs = [], depends_on: before = [], secrets = [], volumes = [] } = service
      for (const secret of Array.isArray(secrets) ? secrets : []) {
        const name: unknown = typeof secret === "string" ? secret : secret.source
        used.add(String(name))
      }
      for (const config of Array.isArray(configs) ? configs : []) {
        assert.property(compose.configs, String(config.source))
      }
      for (const volume of Array.isArray(volumes) ? volumes : []) {
        const [from = ""] = String(volume).split(":")
        if (from.startsWith("./")) assert.include(present, basename(from))
        else assert.property(compose.volumes, from)
      }
      const names = Array.isArray(before) ? before : Object.keys(before ?? {})
      for (const name of names) assert.property(compose.services, String(name))
    }
    assert.sameMembers([...used], Object.keys(compose.secrets))
    for (const { file } of Object.values(compose.configs)) {
      if (file !== undefined) assert.include(present, basename(file))
    }
  })

  test("the nodes of compose.yaml have a valid configuration", async () => {
    const { services } = parse(readFileSync(join(deploy, "compose.yaml"), "utf8"), { merge: true })
    const own: Record<string, string> = services.node1.environment
    const variables = Object.entries(own).map(([name, value]) => {
      const isFile = name.endsWith("_FILE")
      return [isFile ? name.replace(/_FILE$/, "") : name, isFile ? valueOf(name) : value] as const
    })
    const bin = join(root, "packages/cli/src/internal/bin.ts")
    const env = {
      ...Object.fromEntries(variables),
      COUNTERSIGN_CONFIG: join(deploy, "countersign.config.json"),
      NODE_ENV: "production",
    }
    const checked = await run(process.execPath, [bin, "config", "check"], { env })
    assert.strictEqual(checked.code, 0, checked.stderr)
  })
})

/** What the file of a secret has. */
const valueOf = (name: string): string =>
  name.startsWith("DATABASE_URL")
    ? "postgres://service:password@pgbouncer:6432/countersign"
    : "6b1f0c9d2e8a47355f90ab34cd12ef78"
