/**
 * `node test/simulation/hunt.ts FIRST COUNT FAILURES`: plays histories until so many have failed, and prints the numbers
 * of histories that it took to find each, with the first problem. For planted mistakes.
 */
import * as Simulation from "@countersign/testing/Simulation"
import * as Effect from "effect/Effect"

const [first = 1, count = 1, failures = 1] = process.argv.slice(2).map(Number)
const { play } = await Effect.runPromise(Simulation.make())
const took: Array<number> = []
let last = first - 1
let problem: string | undefined
for (let seed = first; seed < first + count && took.length < failures; seed++) {
  const [found] = play(seed).problems
  if (found === undefined) continue
  took.push(seed - last)
  last = seed
  problem ??= found
}
console.log(JSON.stringify({ took, problem }))
