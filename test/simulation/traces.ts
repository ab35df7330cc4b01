/** `node test/simulation/traces.ts FIRST COUNT`: prints the traces of histories, for comparisons between processes. */
import * as Simulation from "@countersign/testing/Simulation"
import * as Effect from "effect/Effect"

const [first = 1, count = 1] = process.argv.slice(2).map(Number)
const { play } = await Effect.runPromise(Simulation.make())
for (let seed = first; seed < first + count; seed++) console.log(play(seed).trace)
