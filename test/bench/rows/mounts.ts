/** The cost of each way to mount the interface, on the memory store. */
import type { Measurement } from "../Measurement.ts"
import { reportedRate } from "../reported.ts"
import { type Service, startService } from "../services/Service.ts"
import { median } from "../stats.ts"
import { inTurns } from "../sides.ts"
import { type Round, round } from "./overhead.ts"

const sizes = { full: 40_000, quick: 500 }

const names = ["node", "express", "fastify", "hono", "http"] as const

const described: Record<(typeof names)[number], string> = {
  node: "a server of its own",
  express: "Express",
  fastify: "Fastify",
  hono: "Hono on Node, through web Requests",
  http: "a plain fetch handler on Node, through web Requests",
}

export const mounts: Measurement = {
  id: "mounts",
  title: "Ways to mount it",
  rows: [6],
  run: async (context) => {
    const requests = sizes[context.scale]
    const running: Array<Service> = []
    try {
      for (const name of names)
        running.push(await startService("mounted", { env: { MOUNT: name } }))
      // The first round warms up.
      for (const service of running) await round(service, requests)
      const results = await inTurns(
        context,
        running.map((service) => () => round(service, requests)),
      )
      const [own = [], ...others] = results
      const speeds = (one: ReadonlyArray<Round>) => one.map(({ perSecond }) => perSecond)
      const times = names.map(
        (name, index) =>
          `${described[name]} ${median((results[index] ?? []).map(({ node }) => node)).toFixed(1)} µs`,
      )
      return {
        figures: others.map((other, index) =>
          reportedRate(
            `\`GET /balance\`, memory store, 64 connections: ${described[names[index + 1] ?? "node"]}`,
            described.node,
            speeds(other),
            speeds(own),
          ),
        ),
        notes: [`Processor time of the process for each request: ${times.join(", ")}.`],
      }
    } finally {
      for (const service of running) await service.stop()
    }
  },
}
