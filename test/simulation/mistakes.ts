/** Mistakes in the rules, the store and the jobs. The simulation has to find each. */
import { moneyMistakes } from "../release/moneyMistakes.ts"
import { jobMistakes } from "./jobMistakes.ts"
import { outboxMistakes } from "./outboxMistakes.ts"
import { ruleMistakes, type SimulatedMistake } from "./ruleMistakes.ts"

/** Mistakes of the release checks that a history of the memory store can meet. */
const planted: ReadonlySet<string> = new Set([
  "a node sends after its lease has run out",
  "two nodes take over one dispatch",
  "a charge forgets the key of its call",
  "a consumed request forgets the key of its call",
  "an answer is not recorded before its caller gets it",
  "a round of a webhook that stops early skips events",
])

export const simulatedMistakes: ReadonlyArray<SimulatedMistake> = [
  ...moneyMistakes.filter(({ name }) => planted.has(name)),
  ...ruleMistakes,
  ...jobMistakes,
  ...outboxMistakes,
]
