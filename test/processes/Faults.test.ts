/** A bounded part of the campaigns in `test/soak`: faults under load, and what must hold after them. */
import * as Effect from "effect/Effect"
import { assert, inject, test } from "vitest"
import { random } from "../soak/faults/random.ts"
import * as Sessions from "../soak/faults/sessions.ts"
import { killedNodes } from "../soak/faults/workers.ts"
import { play } from "../soak/faults/World.ts"

const trials = 24

test("lost commits and ended sessions lose nothing, and do nothing twice", async () => {
  const counts = await play({ server: inject("postgresUrl"), seed: 1, clients: 8 }, (world) =>
    Effect.zipWith(
      Sessions.lostCommits(world, trials, random(1)),
      Sessions.terminated(world, trials, random(2)),
      (lost, ended) => ({ ...lost, ...ended }),
    ),
  )
  assert.deepInclude(counts, { committed: trials / 2, uncommitted: trials / 2, terminated: trials })
  assert.isAbove(counts["holdsSeen"] ?? 0, 20)
})

test("killed processes with four nodes each lose nothing, and do nothing twice", async () => {
  // The seed gives a vendor that neither finds nor honours tokens, so a message that is sent again is found.
  const few = { nodes: 1, clients: 2, seed: 2 }
  const counts = await play({ ...few, server: inject("postgresUrl") }, (world) =>
    killedNodes(world, 8, random(3)),
  )
  assert.strictEqual(counts["killedNodes"], 8)
})
