/** Nodes in processes of their own that are killed or stopped while they work. */
import { test } from "vitest"
import { type FaultCampaign, mostMillis, runFaults } from "./faults/campaigns.ts"
import { killedNodes, stoppedNodes } from "./faults/workers.ts"

/** Most of the load comes from the processes. */
const few = { nodes: 1, clients: 3 }

const campaigns: ReadonlyArray<FaultCampaign> = [
  { name: "killed-nodes", count: 10_000, turn: 100, setup: few, faults: () => killedNodes },
  { name: "stopped-nodes", count: 200, turn: 10, setup: few, faults: () => stoppedNodes },
]

test.each(campaigns)("faults-$name: nothing is lost, and nothing done twice", runFaults, mostMillis)
