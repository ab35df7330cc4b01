/** Row 6: the cost of HTTP, the key and the services, on the memory store. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { get, load, type LoadResult } from "../load.ts"
import type { Figure, Measurement } from "../Measurement.ts"
import { listShares, readProfile } from "../profile.ts"
import { reportedRate } from "../reported.ts"
import { processMillis } from "../services/processTimes.ts"
import { type Service, startService } from "../services/Service.ts"
import { median } from "../stats.ts"
import { inTurns } from "../sides.ts"

const sizes = { full: 60_000, quick: 1_000 }

const subjects = [
  { name: "ours", service: "countersign", env: {} },
  { name: "Fastify that checks a key", service: "balanceFastify", env: { AUTHORIZATION: "hash" } },
  { name: "bare Fastify", service: "balanceFastify", env: {} },
] as const

export interface Round extends LoadResult {
  /** Processor time of the server, in microseconds for each request. */
  readonly node: number
}

export const round = async (service: Service, requests: number): Promise<Round> => {
  const request = get("/api/v2/balance", service.keys[0] ?? "")
  const before = processMillis(service.pid)
  const result = await load({
    origin: service.origin,
    connections: 64,
    requests,
    request: () => request,
    answer: (_, status, body) => {
      if (status !== 200 || !body.includes('"balance":')) {
        throw new Error(`A balance was answered ${status}: ${body}`)
      }
    },
  })
  return { ...result, node: (1_000 * (processMillis(service.pid) - before)) / requests }
}

/** Profiles the engine in a separate process, because profiling slows it down. */
const profiled = async (requests: number): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-profile-"))
  try {
    const service = await startService("countersign", {
      execArgv: ["--cpu-prof", `--cpu-prof-dir=${folder}`],
    })
    let seconds = 0
    try {
      await round(service, requests)
      seconds = (await round(service, requests)).seconds
    } finally {
      await service.stop()
    }
    return listShares(readProfile(folder), seconds * 1e6)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const overhead: Measurement = {
  id: "overhead",
  title: "An endpoint without storage",
  rows: [6],
  run: async (context) => {
    const requests = sizes[context.scale]
    const running: Array<Service> = []
    try {
      for (const { env, service } of subjects) running.push(await startService(service, { env }))
      // The first round warms up.
      for (const service of running) await round(service, requests)
      const results = await inTurns(
        context,
        running.map((service) => () => round(service, requests)),
      )
      const [ours = [], ...others] = results
      const speeds = (one: ReadonlyArray<Round>) => one.map(({ perSecond }) => perSecond)
      const figures: ReadonlyArray<Figure> = others.map((other, index) =>
        reportedRate(
          "`GET /balance`, memory store, 64 connections",
          subjects[index + 1]?.name ?? "",
          speeds(ours),
          speeds(other),
        ),
      )
      const times = results.map(
        (one, index) =>
          `${subjects[index]?.name} ${median(one.map(({ node }) => node)).toFixed(1)} µs`,
      )
      return {
        figures,
        notes: [
          `Processor time of the server for each request: ${times.join(", ")}.`,
          `Where ours has its code, by self time: ${await profiled(requests)}. Most of the native code is the system call that writes the answer.`,
        ],
      }
    } finally {
      for (const service of running) await service.stop()
    }
  },
}
