/** Failovers to standbys, and a full disk. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { test } from "vitest"
import { programsOf } from "../gateways/smpp/debian.ts"
import { runCampaign } from "../support/campaign.ts"
import { packages, startPatroni } from "../support/patroni.ts"
import { type FaultCampaign, mostMillis, runFaults, settings } from "./faults/campaigns.ts"
import { random } from "./faults/random.ts"
import { failovers, fullDisk, patroniFailovers } from "./faults/servers.ts"
import { play } from "./faults/World.ts"

const campaigns: ReadonlyArray<FaultCampaign> = [
  {
    name: "failovers",
    count: 100,
    turn: 5,
    faults: (server) => failovers(server, settings, true),
  },
  {
    name: "asynchronous-failovers",
    count: 50,
    turn: 5,
    setup: { losesCommits: true },
    faults: (server) => failovers(server, settings, false),
  },
]

test.each(campaigns)("faults-$name: nothing is done twice", runFaults, mostMillis)

const run = promisify(execFile)

test(
  "faults-full-disks: nothing is lost, and nothing done twice",
  async (context) => {
    const parent = mkdtempSync(join(tmpdir(), "countersign-disk-"))
    try {
      await run("mount", ["-t", "tmpfs", "-o", "size=256m,mode=755", "none", parent])
    } catch (error) {
      rmSync(parent, { recursive: true })
      return context.skip(`A small disk cannot be mounted: ${String(error)}`)
    }
    try {
      await runFaults({ name: "full-disks", count: 200, turn: 10, parent, faults: fullDisk })
    } finally {
      await run("umount", [parent])
      rmSync(parent, { recursive: true })
    }
  },
  mostMillis,
)

test(
  "faults-patroni: nothing is lost, and nothing done twice",
  async (context) => {
    const programs = await programsOf(...packages)
    if ("missing" in programs) return context.skip(programs.missing)
    await runCampaign({
      name: "faults-patroni",
      count: 100,
      turn: 5,
      run: (first, end) =>
        Effect.runPromise(
          Effect.scoped(
            Effect.gen(function* () {
              const patroni = yield* startPatroni(programs)
              const server = yield* Effect.promise(() => patroni.primary())
              return yield* Effect.promise(() =>
                play({ server, seed: first }, (world) =>
                  patroniFailovers(patroni)(world, end - first, random(first)),
                ),
              )
            }),
          ),
        ),
    })
  },
  mostMillis,
)
