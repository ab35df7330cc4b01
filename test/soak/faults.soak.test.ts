/**
 * Faults of a PostgreSQL server, of its sessions, of the network and of clocks, under load. After each turn: money by
 * double entry, answers against rows, the vendor's own count, and nothing held.
 */
import * as Duration from "effect/Duration"
import { test } from "vitest"
import { numberKey } from "../../packages/postgres/test/fixtures/numberKey.ts"
import { type FaultCampaign, mostMillis, runFaults } from "./faults/campaigns.ts"
import { jumpingNodes, steppingDatabase } from "./faults/clocks.ts"
import { crashes, readOnly, restores } from "./faults/servers.ts"
import * as Sessions from "./faults/sessions.ts"

const small = { node: () => ({ pool: { maxBatchConnections: 2 }, store: { maxWaiting: 16 } }) }

const jumping = jumpingNodes()
const stepping = steppingDatabase()

/** Each node encrypts with the key that the other one retires. */
const rotating = {
  node: (index: number) => ({
    store: {
      numberKeys: (index % 2 === 0 ? ["old", "next"] : ["next", "old"]).map(numberKey),
    },
  }),
}

const partitioned = {
  node: () => ({ store: { partitions: 3, commits: "organization" } as const }),
}

const dropping = {
  drops: true,
  node: () => ({
    retention: {
      messages: Duration.seconds(1),
      verifications: Duration.seconds(1),
      stepRows: 50,
      share: 0.5,
      interval: Duration.seconds(1),
    },
  }),
}

const campaigns: ReadonlyArray<FaultCampaign> = [
  { name: "lost-commits", count: 10_000, turn: 500, faults: () => Sessions.lostCommits },
  { name: "terminated-sessions", count: 10_000, turn: 500, faults: () => Sessions.terminated },
  { name: "killed-sessions", count: 500, turn: 20, faults: () => Sessions.killedSessions },
  { name: "server-crashes", count: 1_000, turn: 20, faults: crashes },
  { name: "bad-network", count: 2_000, turn: 100, faults: () => Sessions.badNetwork },
  { name: "blackhole", count: 20, turn: 2, faults: () => Sessions.blackhole },
  { name: "locks", count: 1_000, turn: 50, faults: () => Sessions.locks },
  { name: "serializable", count: 20_000, turn: 2_000, faults: () => Sessions.serializable },
  {
    name: "exhausted-sessions",
    count: 500,
    turn: 20,
    setup: small,
    faults: () => Sessions.exhausted,
  },
  { name: "busy-loops", count: 500, turn: 50, setup: small, faults: () => Sessions.busyLoop },
  { name: "read-only", count: 500, turn: 20, faults: readOnly },
  {
    name: "jumping-nodes",
    count: 10_000,
    turn: 500,
    setup: { node: jumping.node },
    faults: () => jumping.faults,
  },
  {
    name: "stepping-database",
    count: 10_000,
    turn: 500,
    setup: { node: stepping.node },
    faults: () => stepping.faults,
  },
  { name: "restores", count: 500, turn: 10, setup: { losesCommits: true }, faults: restores },
  {
    name: "terminated-with-partitions",
    count: 1_000,
    turn: 250,
    setup: partitioned,
    faults: () => Sessions.terminated,
  },
  {
    name: "terminated-with-rotation",
    count: 1_000,
    turn: 250,
    setup: rotating,
    faults: () => Sessions.terminated,
  },
  {
    name: "terminated-with-retention",
    count: 1_000,
    turn: 250,
    setup: dropping,
    faults: () => Sessions.terminated,
  },
]

test.each(campaigns)("faults-$name: nothing is lost, and nothing done twice", runFaults, mostMillis)
