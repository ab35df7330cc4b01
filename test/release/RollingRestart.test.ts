/**
 * Two nodes behind a real HAProxy are replaced one after the other while requests come. HAProxy repeats no request.
 */
import { createCountersign, developmentGateway, type Countersign } from "countersign"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, test } from "vitest"
import { programsOf, type Programs } from "../gateways/smpp/debian.ts"
import { eventually } from "../support/eventually.ts"
import { freePorts } from "../support/freePorts.ts"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"

const programs = await programsOf("haproxy")

const emptyDatabase = temporaryDatabases()

interface Node {
  readonly countersign: Countersign
  readonly server: Server
}

const startNode = async (database: string, port: number): Promise<Node> => {
  const countersign = await createCountersign({
    database,
    secret: "a secret for tests, and for nothing else",
    gateways: { sms: developmentGateway(() => {}) },
    log: () => {},
  })
  const server = createServer((request, response) => {
    if (request.url !== "/ready") return countersign.listener(request, response)
    response.writeHead(countersign.isReady() ? 200 : 503).end()
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return { countersign, server }
}

/**
 * Takes a node out after one answer that is not 200. A late answer is no failure: without `timeout check` it would be
 * one after the interval, and a busy machine would take both nodes out.
 */
const configuration = (folder: string, port: number, nodes: ReadonlyArray<number>): string => `
global
  stats socket ${join(folder, "stats")}
defaults
  mode http
  timeout connect 30s
  timeout check 60s
  timeout client 60s
  timeout server 60s
  retries 0
frontend all
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /ready
  default-server check inter 1s fall 1 rise 1
${nodes.map((node) => `  server ${nameOf(node)} 127.0.0.1:${node}`).join("\n")}
`

const nameOf = (node: number): string => `n${node}`

/** What the balancer says of a node. */
interface State {
  readonly status: string
  /** Number of requests that the node has not answered. */
  readonly open: number
}

type StateOf = (node: number) => Promise<State>

const statesAt =
  (socket: string): StateOf =>
  async (node) => {
    const [names = [], ...rows] = (await text(connect(socket).end("show stat\n")))
      .split("\n")
      .map((line) => line.split(","))
    const row = rows.find(([, name]) => name === nameOf(node)) ?? assert.fail()
    const column = (name: string) => row[names.indexOf(name)] ?? assert.fail()
    return { status: column("status"), open: Number(column("scur")) }
  }

/** Runs the balancer while `use` runs. */
const balanced = async (
  { env, path }: Programs,
  port: number,
  nodes: ReadonlyArray<number>,
  use: (stateOf: StateOf) => Promise<void>,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-haproxy-"))
  const file = join(folder, "haproxy.cfg")
  writeFileSync(file, configuration(folder, port, nodes))
  const child = spawn(path("usr/sbin/haproxy"), ["-db", "-q", "-f", file], {
    cwd: "/",
    env: { ...process.env, ...env },
    stdio: "ignore",
  })
  try {
    await use(statesAt(join(folder, "stats")))
  } finally {
    child.kill("SIGKILL")
    await once(child, "exit")
    rmSync(folder, { recursive: true, force: true })
  }
}

const requests = 1_000
const callers = 8

test("no request is lost while two nodes behind a balancer are replaced", async (context) => {
  if ("missing" in programs) return context.skip(programs.missing)
  const database = await emptyDatabase()
  const [port = 0, ...ports] = await freePorts(3)
  const nodes = new Map<number, Node>()
  for (const node of ports) nodes.set(node, await startNode(database, node))
  const first = [...nodes.values()][0] ?? assert.fail()
  const { key } = await first.countersign.apiKeys.create({ name: "backend" })
  const url = `http://127.0.0.1:${port}/api/v2`
  const authorization = `Bearer ${key}`
  const statuses: Array<number> = []

  const post = async (number: number): Promise<void> => {
    const { status } = await fetch(`${url}/messages`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ to: `88017${12_000_000 + number}`, message: "Hello" }),
    })
    statuses.push(status)
  }
  const progress = { sent: 0, isReplaced: false }
  // The requests go on until both nodes are replaced.
  const call = async (): Promise<void> => {
    while (progress.sent < requests || !progress.isReplaced) await post(progress.sent++)
  }

  const replace = async (at: number, stateOf: StateOf): Promise<void> => {
    const { countersign, server } = nodes.get(at) ?? assert.fail()
    const ended = countersign.shutdown({ server, wait: "10 minutes" })
    await eventually(async () =>
      assert.deepStrictEqual(await stateOf(at), { status: "DOWN", open: 0 }),
    )
    // Ends the wait: how soon the balancer notices depends on the machine.
    await countersign.dispose()
    await ended
    nodes.set(at, await startNode(database, at))
    // The other node may only go when the balancer uses this one.
    await eventually(async () => assert.strictEqual((await stateOf(at)).status, "UP"))
  }

  try {
    await balanced(programs, port, ports, async (stateOf) => {
      const reached = () => fetch(`${url}/balance`, { headers: { authorization } })
      await eventually(async () => assert.strictEqual((await reached()).status, 200))
      const calls = Array.from({ length: callers }, call)
      for (const node of ports) {
        const before = statuses.length
        await eventually(() => assert.isAbove(statuses.length, before + 100))
        await replace(node, stateOf)
      }
      progress.isReplaced = true
      await Promise.all(calls)
    })
    assert.isAtLeast(statuses.length, requests)
    assert.deepStrictEqual([...new Set(statuses)], [200])
    const { countersign } = [...nodes.values()][0] ?? assert.fail()
    assert.strictEqual(await countersign.messages.count(), statuses.length)
  } finally {
    for (const { countersign, server } of nodes.values()) {
      // Also ends the wait of a shutdown that a failure has left.
      await Promise.all([countersign.dispose(), countersign.shutdown({ server })])
    }
  }
})
