/**
 * `pnpm bench`: sends and checks a second over HTTP for one organization on a real PostgreSQL with
 * `fsync` on, and how the batches grow with the load. Everything runs on this machine and ends by itself.
 */
import { fork } from "node:child_process"
import { join } from "node:path"
import { startPostgres } from "../support/PostgresServer.ts"
import { load, post } from "./load.ts"

interface Ready {
  readonly origin: string
  readonly key: string
}
interface Batches {
  readonly count: number
  readonly sum: number
}

const given = process.env["DATABASE_URL"]
const postgres = given === undefined ? await startPostgres({ fsync: true }) : undefined
const child = fork(join(import.meta.dirname, "server.ts"), {
  env: { ...process.env, DATABASE_URL: given ?? postgres?.url ?? "" },
})
const ended = new Promise<never>((_, reject) => {
  child.once("exit", () => reject(new Error("The server ended")))
})
ended.catch(() => {})
const receive = <A>(): Promise<A> =>
  Promise.race([new Promise<A>((resolve) => child.once("message", resolve)), ended])
const ask = <A>(question: string): Promise<A> => {
  const answer = receive<A>()
  child.send(question)
  return answer
}

const numberOf = (rank: number): string =>
  `+88017${String(10_000_000 + (rank % 89_999_999)).slice(-8)}`

try {
  const { key, origin } = await receive<Ready>()
  let rank = 0
  const sends = async (connections: number, requests: number) => {
    const sent: Array<string> = []
    const from = rank
    rank += requests
    const result = await load({
      origin,
      connections,
      requests,
      request: (n) => post("/api/v2/verify", key, { phone_number: numberOf(from + n) }),
      answer: (_, status, body) => {
        if (status !== 200) throw new Error(`A send was answered ${status}: ${body}`)
        sent.push(/"request_id":"([^"]+)"/.exec(body)?.[1] ?? "")
      },
    })
    return { result, sent }
  }
  const batchesOf = async (run: () => Promise<unknown>): Promise<number> => {
    const before = await ask<Batches>("batches")
    await run()
    const after = await ask<Batches>("batches")
    return (after.sum - before.sum) / (after.count - before.count)
  }

  await sends(32, 4_000)
  console.log("work         connections   per second   p50 ms   p99 ms   commands in a commit")
  for (const [connections, requests] of [
    [1, 500],
    [16, 4_000],
    [64, 10_000],
    [256, 15_000],
  ] as const) {
    let sent: ReadonlyArray<string> = []
    const row = (work: string, r: { perSecond: number; p50: number; p99: number }, batch: number) =>
      console.log(
        `${work.padEnd(12)} ${String(connections).padStart(11)} ${r.perSecond.toFixed(0).padStart(12)} ${r.p50.toFixed(1).padStart(8)} ${r.p99.toFixed(1).padStart(8)} ${batch.toFixed(1).padStart(22)}`,
      )
    let result = { perSecond: 0, p50: 0, p99: 0 }
    const sendBatch = await batchesOf(async () => {
      ;({ result, sent } = await sends(connections, requests))
    })
    row("send a code", result, sendBatch)
    const checkBatch = await batchesOf(async () => {
      result = await load({
        origin,
        connections,
        requests,
        // A wrong code: the same reading, comparison and commit as a right one.
        request: (n) =>
          post("/api/v2/verify/check", key, { request_id: sent[n % sent.length], code: "-" }),
        answer: (_, status, body) => {
          if (status !== 400) throw new Error(`A check was answered ${status}: ${body}`)
        },
      })
    })
    row("check a code", result, checkBatch)
  }
} finally {
  child.kill("SIGKILL")
  await postgres?.stop()
}
