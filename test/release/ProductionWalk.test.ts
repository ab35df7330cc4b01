/**
 * The steps of docs/operate/deploy.md while requests come, and those of restore.md after them, as they stand there: two
 * nodes of the packed command line behind Debian's PgBouncer and HAProxy, on Debian's PostgreSQL, with Debian's Prometheus.
 */
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { Agent, createServer, request } from "node:http"
import { delimiter, join } from "node:path"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import { afterAll, assert, beforeAll, inject, test } from "vitest"
import { programsOf, type Programs } from "../gateways/smpp/debian.ts"
import { ledgerProblems } from "../soak/faults/ledger.ts"
import { eventually } from "../support/eventually.ts"
import { freePorts } from "../support/freePorts.ts"
import { portOf } from "../support/loopback.ts"
import { binariesOf } from "../support/patroni.ts"
import { serverUser } from "../support/PostgresServer.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { install, serving } from "../tools/installed.ts"
import { tarballsIn } from "../tools/packing.ts"
import { root } from "../tools/paths.ts"
import { environment, run, succeeded } from "../tools/run.ts"
import { blocksOf } from "./tools/markdown.ts"

const programs = await programsOf("postgresql", "pgbouncer", "haproxy", "prometheus")

const folder = temporaryFolder("countersign-walk-")

/** The fewest requests of a run, and how many a second are begun at most. */
const fewest = 10_000
const perSecond = 200

/** Requests that wait for their answers. With more, the machine is slower than the rate. */
const maxOpen = 16

const stepsOf = (page: string): ReadonlyArray<string> =>
  blocksOf(readFileSync(join(root, "docs/operate", page), "utf8"))
    .filter(({ comment }) => comment === "walked by: Production walk")
    .map(({ code }) => code)

const children: Array<ChildProcess> = []
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
})

const installed = join(folder, "installed")

beforeAll(async () => {
  if ("missing" in programs) return
  const tarballOf = await tarballsIn(inject("tarballsFolder"))
  succeeded(await install(serving, installed, tarballOf))
}, 900_000)

/** A folder with programs by the names that the guide uses. */
const writePrograms = ({ env, path }: Programs): string => {
  const bin = join(folder, "bin")
  mkdirSync(bin)
  const libraries = `LD_LIBRARY_PATH='${env["LD_LIBRARY_PATH"] ?? ""}'`
  const isRoot = process.getuid?.() === 0
  const cli = join(installed, "node_modules/@countersign/cli/dist/internal/bin.js")
  const commands = {
    countersign: `'${process.execPath}' '${cli}'`,
    haproxy: `env ${libraries} '${absolute(path("usr/sbin/haproxy"))}'`,
    // It refuses to run as root.
    pgbouncer: `env ${libraries} '${absolute(path("usr/sbin/pgbouncer"))}'${isRoot ? " -u daemon" : ""}`,
    prometheus: `env ${libraries} '${absolute(path("usr/bin/prometheus"))}'`,
  }
  for (const [name, command] of Object.entries(commands)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 })
  }
  return bin
}

const absolute = (path: string): string => (path.startsWith("/") ? path : `/${path}`)

/** An empty cluster with a superuser. */
const startServer = async (bin: string, port: number, password: string): Promise<void> => {
  const user = serverUser()
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid }
  const home = join(folder, "server")
  mkdirSync(home)
  const file = join(home, "password")
  writeFileSync(file, password, { mode: 0o644 })
  chmodSync(folder, 0o755)
  if (user !== undefined) chownSync(home, user.uid, user.gid)
  const data = join(home, "data")
  const options = { ...identity, cwd: "/", stdio: "ignore" } as const
  const args = ["-D", data, "-U", "postgres", "--auth=scram-sha-256", "--encoding=UTF8"]
  const made = spawn(join(bin, "initdb"), [...args, "--locale=C", `--pwfile=${file}`], options)
  assert.deepStrictEqual(await once(made, "exit"), [0, null])
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", `port=${port}`]
  children.push(
    spawn(
      join(bin, "postgres"),
      ["-D", data, ...settings.flatMap((setting) => ["-c", setting])],
      options,
    ),
  )
}

/** A vendor that takes every message once. */
const startVendor = async () => {
  const tokens = new Map<string, number>()
  const server = createServer(async (incoming, response) => {
    const { id }: { id: string } = JSON.parse(await text(incoming))
    tokens.set(id, (tokens.get(id) ?? 0) + 1)
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ status: "queued", id: `v-${id}` }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return { url: `http://127.0.0.1:${portOf(server)}/send`, tokens, server }
}

/** One shell that runs the steps after each other. */
const startShell = (cwd: string, env: Readonly<Record<string, string>>) => {
  const child: ChildProcessWithoutNullStreams = spawn("bash", ["-eu", "-o", "pipefail"], {
    cwd,
    env: environment({ NODE_OPTIONS: "", NODE_COMPILE_CACHE: "", ...env }),
    detached: true,
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  }
  const exited = once(child, "exit").then(() => "exited")
  let count = 0
  return {
    run: async (code: string): Promise<void> => {
      const mark = `step ${(count += 1)} is done`
      child.stdin.write(`${code}\necho "${mark}"\n`)
      const done = eventually(() => assert.include(output, mark), { withinMillis: 600_000 })
      if ((await Promise.race([done, exited])) === "exited") assert.fail(`${code}\n\n${output}`)
    },
    /** Ends the shell and what it has started. */
    kill: (): void => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    },
  }
}

/** Requests at a rate until the end, over connections that stay open. */
const startLoad = (url: string, firstKey: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: maxOpen })
  const results = { ok: 0, failures: new Array<string>() }
  const open = new Set<Promise<void>>()
  let key = firstKey
  let begun = 0
  const send = async (): Promise<void> => {
    const body = JSON.stringify({ to: `88017${10_000_000 + (begun += 1)}`, message: "Hello" })
    try {
      const sent = request(`${url}/api/v2/messages`, {
        agent,
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      }).end(body)
      const [response] = await once(sent, "response")
      const answer = await text(response)
      if (response.statusCode === 200) results.ok += 1
      else results.failures.push(`${response.statusCode} ${answer}`)
    } catch (error) {
      results.failures.push(String(error))
    }
  }
  const timer = setInterval(() => {
    if (open.size >= maxOpen) return
    const one = send()
    open.add(one)
    void one.finally(() => open.delete(one))
  }, 1_000 / perSecond)
  return {
    results,
    use: (next: string) => void (key = next),
    settle: () => Promise.all(open),
    end: async () => {
      await eventually(() => assert.isAtLeast(begun, fewest), { withinMillis: 600_000 })
      clearInterval(timer)
      await Promise.all(open)
      agent.destroy()
      return begun
    },
  }
}

const keyIn = (file: string): string => {
  const { key }: { key: string } = JSON.parse(readFileSync(file, "utf8"))
  return key
}

/** What the rows of the default organization say of its money, in units of the ledger. */
const moneyOf = async (url: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const read = async (sql: string) => (await client.query<Record<string, string>>(sql)).rows
    return {
      accounts: await read("SELECT * FROM countersign.accounts ORDER BY 1"),
      messages: await read(
        "SELECT status, count(*)::text AS count FROM countersign.messages GROUP BY 1 ORDER BY 1",
      ),
    }
  } finally {
    await client.end()
  }
}

test("Production walk", { timeout: 3_600_000 }, async (context) => {
  if ("missing" in programs) return context.skip(programs.missing)
  const binaries = binariesOf(programs)
  const [db = 0, pooler = 0, node1 = 0, node2 = 0, balancer = 0, prometheus = 0] =
    await freePorts(6)
  const password = randomBytes(12).toString("hex")
  await startServer(binaries, db, password)
  const vendor = await startVendor()
  const cwd = join(folder, "walk")
  mkdirSync(cwd)
  const urlOf = (name: string) => `postgres://postgres:${password}@127.0.0.1:${db}/${name}`
  const adminUrl = urlOf("postgres")
  const bin = writePrograms(programs)
  const shell = startShell(cwd, {
    PATH: [bin, binaries, environment()["PATH"]].join(delimiter),
    ADMIN_URL: adminUrl,
    DB_HOST: "127.0.0.1",
    DB_PORT: String(db),
    POOLER_PORT: String(pooler),
    NODE1_PORT: String(node1),
    NODE2_PORT: String(node2),
    BALANCER_PORT: String(balancer),
    PROMETHEUS_PORT: String(prometheus),
    DEPLOY: join(root, "deploy"),
    SMS_VENDOR_URL: vendor.url,
    SMS_VENDOR_KEY: "the key of the account",
    // Longer than the balancer takes to notice: two checks, a second apart.
    COUNTERSIGN_SHUTDOWN_WAIT: "4 seconds",
  })
  const url = `http://127.0.0.1:${balancer}`
  const assertBooked = async (balance: number): Promise<void> => {
    const said = await run(join(bin, "countersign"), ["org", "list", "--json"], {
      env: { DATABASE_URL: urlOf("countersign") },
    })
    const [organization]: ReadonlyArray<object> = JSON.parse(succeeded(said))
    const account = { id: "default", balance: balance.toFixed(2), held: "0.00" }
    assert.deepInclude(organization, account)
    assert.deepStrictEqual(await Effect.runPromise(ledgerProblems(urlOf("countersign"))), [])
  }
  const sendOne = async (): Promise<void> => {
    const response = await fetch(`${url}/api/v2/messages`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${keyIn(join(cwd, "run/new-key.json"))}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ to: "8801912345678", message: "Hello" }),
    })
    assert.strictEqual(response.status, 200, await response.text())
  }
  try {
    await eventually(async () => {
      const client = new Client({ connectionString: adminUrl })
      await client.connect()
      await client.end()
    })
    const steps = stepsOf("deploy.md")
    const [roles, poolerStep, nodes, front, firstKey, replace, upgrade, secrets, newKey, ...rest] =
      steps
    const [revoke, restore, stop] = rest
    const [exchange, ...none] = stepsOf("restore.md")
    assert.lengthOf([...steps, ...none], 12)
    for (const step of [roles, poolerStep, nodes, front, firstKey]) await shell.run(step ?? "")
    const load = startLoad(url, keyIn(join(cwd, "run/key.json")))
    for (const step of [replace, upgrade, secrets, newKey]) await shell.run(step ?? "")
    load.use(keyIn(join(cwd, "run/new-key.json")))
    await load.settle()
    await shell.run(revoke ?? "")
    const begun = await load.end()
    const { failures, ok } = load.results
    console.log(`${ok} of ${begun} requests were answered with 200`)
    assert.deepStrictEqual(failures, [])
    assert.strictEqual(ok, begun)

    // The vendor got each message once, and the ledger has each price once.
    assert.strictEqual(vendor.tokens.size, begun)
    assert.deepStrictEqual([...new Set(vendor.tokens.values())], [1])
    await assertBooked(100_000 - begun / 2)

    // Prometheus has read both nodes, and the rules.
    await eventually(
      async () => {
        const targets = await fetch(`http://127.0.0.1:${prometheus}/api/v1/targets`)
        const healths = JSON.stringify(await targets.json()).match(/"health":"\w+"/g)
        assert.deepStrictEqual(healths, ['"health":"up"', '"health":"up"'])
      },
      { withinMillis: 120_000 },
    )
    const rules = await fetch(`http://127.0.0.1:${prometheus}/api/v1/rules`)
    assert.include(await rules.text(), "CountersignDown")
    // No stranger reads the metrics through the balancer.
    assert.strictEqual((await fetch(`${url}/metrics`)).status, 404)

    await shell.run(restore ?? "")
    assert.deepStrictEqual(await moneyOf(urlOf("restored")), await moneyOf(urlOf("countersign")))
    // A message and a payment are lost with the database, and the payment is posted again.
    await sendOne()
    await shell.run(`countersign top-up 500 --note "second payment" --payment-id INV-2`)
    await assertBooked(100_500 - (begun + 1) / 2)
    await shell.run(exchange ?? "")
    await assertBooked(100_500 - begun / 2)
    await sendOne()
    await assertBooked(100_500 - (begun + 1) / 2)
    await shell.run(stop ?? "")
  } finally {
    shell.kill()
    vendor.server.close()
  }
})
