/**
 * Long campaigns: histories of two nodes over a store in memory, and of two processes on PostgreSQL, of which one is
 * killed in the middle of each turn. Clients hang up and get no answer.
 */
import { afterAll, test } from "vitest"
import { runCampaign } from "../support/campaign.ts"
import { playInMemory, playOnProcesses } from "./campaigns.ts"
import { type Service, startProcesses } from "./processes.ts"

/** As long as the whole command may take. */
const timeout = 12 * 3_600_000

test(
  "linearizability-memory: histories of two nodes in memory are linearizable",
  { timeout },
  async () => {
    await runCampaign({
      name: "linearizability-memory",
      count: 100_000,
      turn: 500,
      run: playInMemory,
    })
  },
)

let service: Service | undefined
afterAll(() => service?.stop())

test(
  "linearizability-postgres: histories of two processes on PostgreSQL are linearizable",
  { timeout },
  async () => {
    await runCampaign({
      name: "linearizability-postgres",
      count: 10_000,
      turn: 50,
      run: async (first, end) => {
        service ??= await startProcesses()
        await service.restart()
        return playOnProcesses(service, first, end)
      },
    })
  },
)
