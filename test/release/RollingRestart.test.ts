/**
 * Two nodes behind a real HAProxy are replaced one after the other while requests come. HAProxy repeats no request.
 */
import { createCountersign, developmentGateway, type Countersign } from "countersign"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, test } from "vitest"
import { programsOf, type Programs } from "../gateways/smpp/debian.ts"
import { eventually } from "../support/eventually.ts"
import { freePorts } from "../support/freePorts.ts"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"

const programs = await programsOf("haproxy")

const databases = temporaryDatabases()

interface Node {
  readonly countersign: Countersign
  readonly server: Server
  /** Number of requests that the balancer has sent. */
  readonly served: () => number
}

const startNode = async (database: string, port: number): Promise<Node> => {
  const countersign = await createCountersign({
    database,
    pepper: "a pepper for tests, and for nothing else",
    gateways: { sms: developmentGateway(() => {}) },
    log: () => {},
  })
  let served = 0
  const server = createServer((request, response) => {
    if (request.url !== "/ready") {
      served += 1
      return countersign.listener(request, response)
    }
    response.writeHead(countersign.isReady() ? 200 : 503).end()
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return { countersign, server, served: () => served }
}

/** Checks each node every 100 ms, and takes it out after one failure. */
const configuration = (port: number, nodes: ReadonlyArray<number>): string => `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  retries 0
frontend all
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /ready
  default-server check inter 100ms fall 1 rise 1
${nodes.map((node) => `  server n${node} 127.0.0.1:${node}`).join("\n")}
`

/** Runs the balancer while `use` runs. */
const balanced = async (
  { env, path }: Programs,
  text: string,
  use: () => Promise<void>,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-haproxy-"))
  const file = join(folder, "haproxy.cfg")
  writeFileSync(file, text)
  const child = spawn(path("usr/sbin/haproxy"), ["-db", "-q", "-f", file], {
    cwd: "/",
    env: { ...process.env, ...env },
    stdio: "ignore",
  })
  try {
    await use()
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
  const database = await databases.make()
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

  const replace = async (at: number): Promise<void> => {
    const { countersign, server } = nodes.get(at) ?? assert.fail()
    await countersign.shutdown({ server, wait: "3 seconds" })
    const node = await startNode(database, at)
    nodes.set(at, node)
    // The other node may only go when the balancer uses this one.
    await eventually(() => assert.isAbove(node.served(), 50))
  }

  try {
    await balanced(programs, configuration(port, ports), async () => {
      const reached = () => fetch(`${url}/balance`, { headers: { authorization } })
      await eventually(async () => assert.strictEqual((await reached()).status, 200))
      const calls = Array.from({ length: callers }, call)
      for (const node of ports) {
        const before = statuses.length
        await eventually(() => assert.isAbove(statuses.length, before + 100))
        await replace(node)
      }
      progress.isReplaced = true
      await Promise.all(calls)
    })
    assert.isAtLeast(statuses.length, requests)
    assert.deepStrictEqual([...new Set(statuses)], [200])
    const { countersign } = [...nodes.values()][0] ?? assert.fail()
    const { total } = await countersign.messages.list({ page: 1, limit: 1 })
    assert.strictEqual(total, statuses.length)
  } finally {
    for (const { countersign, server } of nodes.values()) await countersign.shutdown({ server })
    await databases.close()
  }
}, 120_000)
