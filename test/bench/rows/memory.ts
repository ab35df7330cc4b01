/** Row 10: the memory of a pending verification, and the growth of a node with the requests it has served. */
import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { lineChart } from "../charts.ts"
import { runChild } from "../children/child.ts"
import type { PendingInput, PendingResult } from "../children/pending.ts"
import { get, load, post } from "../load.ts"
import type { Chart, Context, Figure, Measurement } from "../Measurement.ts"
import { freshDatabase, type Service, startService } from "../services/Service.ts"
import { median } from "../stats.ts"

const sizes = {
  full: { pending: 150_000, block: 50_000, blocks: 40 },
  quick: { pending: 5_000, block: 1_000, blocks: 4 },
}

const wantedGrowth = 0.05

const probe = pathToFileURL(join(import.meta.dirname, "../children/memoryProbe.ts")).href

interface Sample {
  /** Number of requests that were answered by then. */
  readonly requests: number
  /** Bytes after a garbage collection. */
  readonly rss: number
  readonly heapUsed: number
}

const ask = (socketPath: string): Promise<Omit<Sample, "requests">> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path: "/" }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
      response.once("end", () => resolve(JSON.parse(text)))
    })
    outgoing.once("error", reject)
    outgoing.end()
  })

interface Sent {
  readonly id: string
  readonly to: string
}

/** Of twenty requests, 7 send, 7 check codes of the previous block, 4 read the balance, and 2 the log. */
const isSend = (rank: number): boolean => rank % 20 < 7
const isCheck = (rank: number): boolean => rank % 20 >= 7 && rank % 20 < 14
const isBalance = (rank: number): boolean => rank % 20 >= 14 && rank % 20 < 18

/** Runs one block of requests. Returns the sent requests for the next block. */
const runBlock = async (
  service: Service,
  first: number,
  count: number,
  pending: ReadonlyArray<Sent>,
): Promise<ReadonlyArray<Sent>> => {
  const [key = ""] = service.keys
  const codes = new Map(await service.ask<ReadonlyArray<readonly [string, string]>>("codes"))
  const sent: Array<Sent> = []
  const numberOf = (rank: number) => `+88017${10_000_000 + ((first + rank) % 89_999_999)}`
  // The checks have ranks of their own, from 0.
  const checked = (rank: number) => pending[Math.floor(rank / 20) * 7 + (rank % 20) - 7]
  await load({
    origin: service.origin,
    connections: 64,
    requests: count,
    request: (rank) => {
      if (isSend(rank)) {
        return post("/api/v2/verify", key, { phone_number: numberOf(rank), expiry: 3_600 })
      }
      const known = isCheck(rank) ? checked(rank) : undefined
      if (known !== undefined) {
        const code = codes.get(known.to) ?? ""
        return post("/api/v2/verify/check", key, { request_id: known.id, code })
      }
      return isBalance(rank)
        ? get("/api/v2/balance", key)
        : get("/api/v2/messages?page=1&limit=10", key)
    },
    answer: (rank, status, body) => {
      if (status !== 200) throw new Error(`A request was answered ${status}: ${body}`)
      if (!isSend(rank)) return
      const id = /"request_id":"([^"]+)"/.exec(body)?.[1] ?? ""
      sent.push({ id, to: numberOf(rank) })
    },
  })
  return sent
}

const samplesOf = async (context: Context): Promise<ReadonlyArray<Sample>> => {
  const { block, blocks } = sizes[context.scale]
  const folder = mkdtempSync(join(tmpdir(), "countersign-memory-"))
  const socket = join(folder, "probe")
  const database = await freshDatabase(await context.postgresUrl())
  try {
    const service = await startService("countersign", {
      databaseUrl: database.url,
      execArgv: ["--expose-gc", "--import", probe],
      env: { MEMORY_PROBE: socket },
    })
    try {
      const samples: Array<Sample> = []
      let pending: ReadonlyArray<Sent> = []
      for (let number = 0; number < blocks; number += 1) {
        pending = await runBlock(service, number * block, block, pending)
        samples.push({ requests: (number + 1) * block, ...(await ask(socket)) })
        if ((number + 1) % 10 === 0) {
          context.log(`${((number + 1) * block).toLocaleString("en")} requests`)
        }
      }
      return samples
    } finally {
      await service.stop()
    }
  } finally {
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const mebibytes = (bytes: number): number => bytes / 2 ** 20

/** The medians of the samples after the middle and of the last ones, because single samples vary. */
const secondHalf = (
  values: ReadonlyArray<number>,
): { readonly from: number; readonly to: number } => {
  const half = values.slice(Math.floor(values.length / 2))
  const few = Math.ceil(half.length / 4)
  return { from: median(half.slice(0, few)), to: median(half.slice(-few)) }
}

const growthFigure = (work: string, values: ReadonlyArray<number>, wanted: boolean): Figure => {
  const { from, to } = secondHalf(values)
  const growth = to / from - 1
  return {
    work,
    ours: `${growth < 0 ? "−" : "+"}${Math.abs(100 * growth).toFixed(1)} % over the second half: ${mebibytes(to).toFixed(0)} MiB`,
    against: `${mebibytes(from).toFixed(0)} MiB at the middle`,
    ...(wanted ? { wanted: "< 5 %", reached: growth < wantedGrowth } : {}),
  }
}

const chartOf = (samples: ReadonlyArray<Sample>): Chart => ({
  file: "memory.svg",
  caption: "Memory of a node by the requests that it has served",
  svg: lineChart({
    title: "Memory of a node by the requests that it has served",
    xLabel: "requests",
    yLabel: "MiB after a collection",
    series: [
      { name: "resident", points: samples.map((one) => [one.requests, mebibytes(one.rss)]) },
      {
        name: "heap in use",
        points: samples.map((one) => [one.requests, mebibytes(one.heapUsed)]),
      },
    ],
  }),
})

const pendingFigure = async ({ rounds, scale }: Context): Promise<Figure> => {
  const { pending: count } = sizes[scale]
  const run = async (side: PendingInput["side"]): Promise<number> => {
    const input: PendingInput = { side, count }
    return (await runChild<PendingResult>("pending", input, ["--expose-gc"])).bytes
  }
  const ours: Array<number> = []
  const plain: Array<number> = []
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await run("engine"))
    plain.push(await run("plain"))
  }
  const bytes = (values: ReadonlyArray<number>): string =>
    `${Math.round(median(values)).toLocaleString("en")} bytes`
  return {
    work: `One of ${count.toLocaleString("en")} pending verifications in the memory store`,
    ours: bytes(ours),
    against: `${bytes(plain)} plain objects`,
  }
}

export const memory: Measurement = {
  id: "memory",
  title: "Memory",
  rows: [10],
  run: async (context) => {
    const pending = await pendingFigure(context)
    const samples = await samplesOf(context)
    const requests = (samples.at(-1)?.requests ?? 0).toLocaleString("en")
    const rss = samples.map((one) => one.rss)
    const heap = samples.map(({ heapUsed }) => heapUsed)
    return {
      figures: [
        pending,
        growthFigure(`Resident memory of a node over ${requests} requests`, rss, true),
        growthFigure(`Its heap over ${requests} requests`, heap, false),
      ],
      notes: [
        "A pending verification is everything that is kept of a code that was sent: the request with its digest, the recipient's window, the message in the log and its two lines in the ledger; the heap after a collection, divided by their number.",
        `The node stands on PostgreSQL, because the memory store keeps its log for good. 35 % of its requests send a code to a number that is new, 35 % check the code of one sent before, 20 % ask for the balance, 10 % for the first page of the log; 64 connections. Memory is read after every ${sizes[context.scale].block.toLocaleString("en")} requests, after a collection. Growth is from the median of the first quarter of the second half to that of its last quarter.`,
      ],
      charts: [chartOf(samples)],
    }
  },
}
