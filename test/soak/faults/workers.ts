/** Processes with nodes, which are killed or stopped while they work. */
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Program } from "../../../packages/postgres/test/fixtures/process.ts"
import { listening } from "../../support/loopback.ts"
import type { Outcome } from "./Load.ts"
import type { Order } from "./order.ts"
import { oneOf } from "./random.ts"
import type { Faults } from "./sessions.ts"
import type { Given, Vendor } from "./Vendor.ts"
import type { World } from "./World.ts"

const points = [
  "before HoldMessage",
  "after HoldMessage",
  "before RequestVerification",
  "after RequestVerification",
  "before Book",
  "after Book",
  "before CheckCode",
  "after CheckCode",
  "before the vendor",
  "after the vendor",
  "before RecordDispatch",
  "after RecordDispatch",
  "before RecordAnswer",
  "after RecordAnswer",
] as const

/** Number of nodes in a process. */
const nodes = 4

/** Number of processes at once. */
const processes = 2

/** The vendor for other processes. */
const serve = (vendor: Vendor) => {
  const parse = (json: string): Given => JSON.parse(json)
  const server = createServer((incoming, response) => {
    const answer = async (): Promise<unknown> => {
      const json = await text(incoming)
      return incoming.url === "/take" ? vendor.take(parse(json)) : vendor.find(JSON.parse(json))
    }
    answer().then(
      (answer) => response.end(JSON.stringify(answer)),
      () => response.destroy(),
    )
  })
  return Effect.map(listening(server), (port) => `http://127.0.0.1:${port}`)
}

const start = (order: Order) =>
  Effect.acquireRelease(
    Effect.sync(() => new Program(join(import.meta.dirname, "worker.ts"), JSON.stringify(order))),
    (program) => Effect.promise(() => program.kill()),
  )

/** Notes the answers to the clients of a process, until so many lines have come, or it has ended. */
const hear = async (program: Program, { load }: World, lines: number): Promise<number> => {
  for (let heard = 0; ; heard++) {
    const line = heard < lines ? await program.nextLine() : undefined
    if (line === undefined) return heard
    const outcome = ((json: string): Outcome => JSON.parse(json))(line)
    load.outcomes.set(outcome.id, outcome)
  }
}

/** Kills a process unless it has done so. Reads the rest of the answers. */
const end = (program: Program, world: World) =>
  Effect.promise(async () => {
    await program.kill()
    await hear(program, world, Infinity)
    const signal = await program.endedBy()
    if (signal !== "SIGKILL") throw new Error("A process with nodes has ended by itself")
  })

const orderOf = ({ url, vendor }: World, address: string, index: number): Order => ({
  url: url(),
  vendor: address,
  ability: vendor.ability,
  nodes,
  clients: 8,
  first: 10_000 * (index + 1),
})

/** F1 to F4: SIGKILL of processes with nodes, at a point of their work or after a number of answers. */
export const killedNodes: Faults = Effect.fnUntraced(function* (world, trials, draw) {
  const address = yield* serve(world.vendor)
  const counts: Record<string, number> = { killedProcesses: 0, killedNodes: 0 }
  const kill = Effect.fnUntraced(function* (trial: number) {
    const point = draw() < 0.8 ? oneOf(draw, points) : "after an answer"
    const crash = { point, count: 1 + Math.floor(draw() * 6) }
    const program = yield* start({ ...orderOf(world, address, trial), crash })
    const lines = point === "after an answer" ? 1 + Math.floor(draw() * 120) : 200
    const heard = yield* Effect.promise(() => hear(program, world, lines))
    yield* end(program, world)
    const isAtPoint = heard < lines
    const name = isAtPoint ? point : "after an answer"
    counts[name] = (counts[name] ?? 0) + 1
    counts["killedProcesses"] = (counts["killedProcesses"] ?? 0) + 1
    counts["killedNodes"] = (counts["killedNodes"] ?? 0) + nodes
  }, Effect.scoped)
  const count = Math.ceil(trials / nodes)
  yield* Effect.forEach(
    Array.from({ length: count }, (_, trial) => trial),
    kill,
    {
      concurrency: processes,
      discard: true,
    },
  )
  return counts
})

/** Longer than the lease of a message. */
const pauseMillis = 7_000

/** F15: SIGSTOP of processes for longer than their leases. Other nodes take their messages over meanwhile. */
export const stoppedNodes: Faults = Effect.fnUntraced(function* (world, trials, draw) {
  const address = yield* serve(world.vendor)
  const stop = Effect.fnUntraced(function* (trial: number) {
    const program = yield* start(orderOf(world, address, trial))
    yield* Effect.promise(() => hear(program, world, 20 + Math.floor(draw() * 60)))
    const signal = (name: NodeJS.Signals) => Effect.sync(() => process.kill(program.pid ?? 0, name))
    yield* signal("SIGSTOP")
    yield* Effect.sleep(pauseMillis)
    yield* signal("SIGCONT")
    yield* Effect.promise(() => hear(program, world, 60))
    yield* end(program, world)
  }, Effect.scoped)
  yield* Effect.forEach(
    Array.from({ length: trials }, (_, trial) => trial),
    stop,
    {
      concurrency: 5,
      discard: true,
    },
  )
  return { stoppedProcesses: trials, stoppedNodes: trials * nodes }
})
