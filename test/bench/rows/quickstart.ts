/** The quickstart of the README under load, on the same server as the service of the bench. */
import { startQuickstart } from "../../support/Quickstart.ts"
import { compareLoads, durations, floor } from "../compareLoads.ts"
import type { Context, Measurement } from "../Measurement.ts"
import { freshDatabase } from "../services/Service.ts"
import { measure, sends, type Side, withSides } from "../sides.ts"

const connections = 64

const withQuickstart = async <A>(context: Context, use: (side: Side) => Promise<A>): Promise<A> => {
  const database = await freshDatabase(await context.postgresUrl())
  try {
    const env = { DATABASE_URL: database.url, DEMO_BALANCE: "10000000" }
    const { baseUrl, dropOutput, keys, pid, stop } = await startQuickstart({ env })
    dropOutput()
    const service = {
      origin: new URL(baseUrl).origin,
      keys: [keys["acme"] ?? ""],
      pid,
      ask: () => Promise.reject(new Error("The quickstart answers no questions")),
      stop: async () => void (await stop()),
    }
    try {
      return await use({ name: "quickstart", service, databaseUrl: database.url, sends: 0 })
    } finally {
      await service.stop()
    }
  } finally {
    await database.drop()
  }
}

export const quickstart: Measurement = {
  id: "quickstart",
  title: "The quickstart under load",
  rows: [],
  run: (context) =>
    withQuickstart(context, (ours) => {
      // The quickstart has the default limits.
      const built = {
        name: "the service of the bench",
        service: "countersign",
        limits: false,
      } as const
      return withSides(context, [built, floor], async (others) => {
        const { load, warmUp } = durations[context.scale]
        const sides = [ours, ...others]
        const run = (bound: typeof load | typeof warmUp) => (side: Side) =>
          measure(context, side, { connections, ...bound, ...sends(side) })
        for (const side of sides) await run(warmUp)(side)
        const { figures, notes } = await compareLoads(
          context,
          `\`POST /verify\` of the quickstart, one organization, ${connections} connections`,
          sides,
          [{ ...built, wanted: { times: 0.9 } }, floor],
          run(load),
        )
        return {
          figures,
          notes: [
            ...notes,
            "The quickstart of the README with `DATABASE_URL`: it serves the inbox and the dashboard as well, keeps messages for the inbox, and prints a line for each request and each event.",
          ],
        }
      })
    }),
}
