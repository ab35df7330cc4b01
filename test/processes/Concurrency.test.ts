/**
 * Limits that must hold when everything comes at once: over HTTP, on the embedded store, and on two
 * processes that share one PostgreSQL server. Histories of the two processes are linearizable, which decides for every
 * balance and every request what the tests of the embedded store try.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { playOnProcesses } from "../linearizability/campaigns.ts"
import { type Service, startProcesses } from "../linearizability/processes.ts"
import { type Answer, at, type Quickstart, startQuickstart } from "../support/Quickstart.ts"

/** `count` requests at once, each to the next process in turn. */
const atOnce = (
  nodes: ReadonlyArray<Quickstart>,
  count: number,
  call: (node: Quickstart) => Promise<Answer>,
): Promise<ReadonlyArray<Answer>> =>
  Promise.all(
    Array.from({ length: count }, (_, index) => {
      const node = nodes[index % nodes.length]
      return node === undefined ? Promise.reject(new Error("No process")) : call(node)
    }),
  )

/** How many answers there were of each kind. */
const tally = (answers: ReadonlyArray<Answer>, kind: (answer: Answer) => string) => {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[kind(answer)] = (counts[kind(answer)] ?? 0) + 1
  return counts
}

const twelveWrongChecks = async (nodes: ReadonlyArray<Quickstart>): Promise<void> => {
  const [node] = nodes
  const sent = await node?.call("/verify", { body: { phone_number: "+8801711000001" } })
  const request_id = at(sent?.body, "data", "request_id")
  const answers = await atOnce(nodes, 12, (each) =>
    each.call("/verify/check", { body: { request_id, code: "wrong" } }),
  )
  assert.deepStrictEqual(
    tally(answers, ({ body, status }) =>
      status === 400
        ? `400, ${String(at(body, "data", "attempts_remaining"))} left`
        : `${status} ${String(at(body, "data", "status"))}`,
    ),
    { "400, 2 left": 1, "400, 1 left": 1, "429 failed": 10 },
  )
}

const fortySends = async (nodes: ReadonlyArray<Quickstart>): Promise<void> => {
  const answers = await atOnce(nodes, 40, (node) =>
    node.call("/verify", { body: { phone_number: "+8801711000003" } }),
  )
  assert.deepStrictEqual(
    tally(answers, ({ body, status }) =>
      status !== 429
        ? String(status)
        : at(body, "retry_after") === undefined
          ? "429, five pending"
          : "429, ten counted",
    ),
    { 200: 5, "429, five pending": 5, "429, ten counted": 30 },
  )
}

const sentences = {
  checks:
    "12 parallel wrong checks of one request are 400 with two left, 400 with one left, and ten 429",
  sends: "40 parallel sends to one number leave 5 pending and 10 counted",
}

describe("the embedded store", () => {
  let nodes: ReadonlyArray<Quickstart> = []
  beforeAll(async () => {
    nodes = [await startQuickstart()]
  })
  afterAll(() => Promise.all(nodes.map((node) => node.stop())))

  it(sentences.checks, () => twelveWrongChecks(nodes))

  it("30 parallel sends on a balance for two charge exactly two", async () => {
    const answers = await atOnce(nodes, 30, (node) =>
      node.call("/messages", { as: "globex", body: { to: "8801711000002", message: "hi" } }),
    )
    assert.deepStrictEqual(
      tally(answers, ({ status }) => String(status)),
      { 200: 2, 402: 28 },
    )
    const log = await nodes[0]?.call("/messages", { as: "globex" })
    const balance = await nodes[0]?.call("/balance", { as: "globex" })
    assert.strictEqual(at(log?.body, "pagination", "total"), 2)
    assert.strictEqual(at(balance?.body, "data", "balance"), 0)
  })

  it(sentences.sends, () => fortySends(nodes))
})

describe("two processes on PostgreSQL", () => {
  let service: Service | undefined
  beforeAll(async () => {
    service = await startProcesses()
  })
  afterAll(() => service?.stop())

  const started = (): Service => service ?? assert.fail("The processes have not started")

  it(sentences.checks, () => twelveWrongChecks(started().nodes()))

  it(sentences.sends, () => fortySends(started().nodes()))

  it("have linearizable histories, also while one of them is killed", async () => {
    const counts = await playOnProcesses(started(), 0, 6)
    assert.strictEqual(counts["histories"], 6)
    assert.isAbove(counts["lost"] ?? 0, 0)
  })
})
