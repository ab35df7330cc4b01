/** Runs the faults of a campaign in turns. Each turn has a server, a database and nodes of its own. */
import { runCampaign } from "../../support/campaign.ts"
import { type PostgresServer, startPostgres } from "../../support/PostgresServer.ts"
import { random } from "./random.ts"
import type { Faults } from "./sessions.ts"
import { type Counts, play, type Setup } from "./World.ts"

export interface FaultCampaign {
  readonly name: string
  /** Faults of the full run. */
  readonly count: number
  /** Faults of a turn. */
  readonly turn: number
  readonly setup?: Omit<Setup, "server" | "seed"> | undefined
  /** The folder of the server. @defaultValue that of temporary files */
  readonly parent?: string | undefined
  readonly faults: (server: PostgresServer) => Faults<unknown>
}

/** A commit is in the server's log when it is answered. The system keeps the log, because no fault ends the machine. */
export const settings = {
  synchronous_commit: "on",
  deadlock_timeout: "50ms",
  max_connections: "60",
} as const

/** The longest time of a campaign. */
export const mostMillis = 12 * 3_600_000

export const runFaults = async ({
  count,
  faults,
  name,
  parent,
  setup,
  turn,
}: FaultCampaign): Promise<void> => {
  await runCampaign({
    name: `faults-${name}`,
    count,
    turn,
    run: async (first, end): Promise<Counts> => {
      const server = await startPostgres({ fsync: false, settings, parent })
      try {
        return await play({ ...setup, server: server.url, seed: first }, (world) =>
          faults(server)(world, end - first, random(first)),
        )
      } finally {
        await server.stop()
      }
    },
  })
}
