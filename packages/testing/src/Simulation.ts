/**
 * Deterministic simulation of the engine: several nodes, organizations and gateways in one process on virtual time,
 * with faults at every port. Everything follows from a seed: the calls, the faults, and the order of all work.
 *
 * A history ends with a check of the invariants. They cover double entry, one end of each hold, a charge before each
 * message, one message for each send, and answers that last. They also cover attempts, budgets, windows, states, and an
 * end for everything. A history that fails is shortened, and its error contains the actions and the story.
 */
import * as Data from "effect/Data"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { CodeSecrets, layer as secretsLayer } from "@countersign/core/engine/CodeSecrets"
import type { Store } from "@countersign/core/ports/Store"
import { type Action, actions, type Setup, setup } from "./internal/simulation/actions.ts"
import { History } from "./internal/simulation/history.ts"
import { play } from "./internal/simulation/play.ts"
import { storeFaults } from "./internal/simulation/simulatedStore.ts"
import { behaviours } from "./internal/simulation/simulatedVendor.ts"
import { heal, inspect, judge } from "./internal/simulation/verdict.ts"
import * as TestCrypto from "./TestCrypto.ts"
import * as TestEngine from "./TestEngine.ts"

/** A history that was played. */
export interface Played {
  readonly seed: number
  /** The violations; empty if everything holds. */
  readonly problems: ReadonlyArray<string>
  /** How often each fault, transition, error and commit was met. */
  readonly met: ReadonlyMap<string, number>
  /** The events of the history in their order, one line each. */
  readonly story: ReadonlyArray<string>
  /** A digest of all that has happened, in its order. Equal for one seed. */
  readonly trace: string
  /** Virtual time, in milliseconds. */
  readonly millis: number
  /** Number of calls and faults. */
  readonly actions: number
}

/** A history in which something does not hold, shortened. */
export class SimulationFailure extends Data.TaggedError("SimulationFailure")<{
  /** The violations, the actions, the story, and how to play the history again. */
  readonly message: string
  readonly seed: number
}> {}

/** The faults, as `met` names them. */
export const faults: ReadonlyArray<string> = [
  ...behaviours.map((behaviour) => `gateway: it ${behaviour}`),
  ...storeFaults.map((fault) => `fault: the store ${fault}`),
  "fault: the store restarts",
  "fault: a gateway is cut",
  "fault: a node dies",
  "fault: a node is paused",
  "fault: the clock of a node jumps",
  "fault: the clock of the store jumps",
  "fault: a client disconnects",
  "fault: a report of a vendor",
  "fault: a report of a forger",
  "fault: a report of a stranger",
  "webhook: the receiver fails",
  "webhook: the receiver is away",
  "webhook: the receiver loses its answer",
]

interface Plan {
  readonly setup: Setup
  readonly actions: ReadonlyArray<Action>
}

const plans: fc.Arbitrary<Plan> = fc.noBias(fc.record({ setup, actions }))

type Secrets = CodeSecrets["Service"]

/** Deriving the keys takes Web Crypto, which no simulation can control: once for all histories. */
const makeSecrets: Effect.Effect<Secrets> = Effect.scoped(
  Effect.map(
    Layer.build(secretsLayer(TestEngine.codeSecret).pipe(Layer.provide(TestCrypto.layer()))),
    Context.get(CodeSecrets),
  ),
)

type MakeStore = () => Store["Service"]

const playPlan = (makeStore: MakeStore, secrets: Secrets, seed: number, plan: Plan): Played => {
  const history = new History(plan.setup, secrets, makeStore())
  const { stage } = history
  const began = stage.world.now
  try {
    const half = Math.floor(plan.actions.length / 2)
    let earlier = inspect(history, [])
    for (const [index, action] of plan.actions.entries()) {
      play(history, action)
      if (index === half) earlier = inspect(history, earlier)
    }
    heal(history)
    judge(history, earlier)
  } catch (error) {
    stage.fail(`the history breaks: ${error instanceof Error ? error.stack : String(error)}`)
  }
  const { met, problems, story, world } = stage
  const millis = world.now - began
  return { seed, problems, met, story, trace: world.trace, millis, actions: plan.actions.length }
}

/** Plays histories. */
export interface Simulator {
  /** Plays the history of a seed. */
  readonly play: (seed: number) => Played
  /**
   * Shortens the history of a seed, in which something does not hold. `maxTries`: the most shorter histories that are
   * tried. @defaultValue 300
   */
  readonly explain: (seed: number, maxTries?: number) => SimulationFailure
}

/** Most shorter histories that are tried by default. */
const defaultTries = 300

/** Most lines of a story that a failure tells, the last ones. */
const maxLines = 150

/** The invariant that a problem names. */
const kindOf = (problem = ""): string => /\bI\d+\b/.exec(problem)?.[0] ?? problem.slice(0, 20)

const failureOf = (seed: number, { actions, setup }: Plan, { problems, story }: Played) => {
  const lines = (title: string, list: ReadonlyArray<string>) => [title, ...list].join("\n  ")
  return new SimulationFailure({
    seed,
    message: [
      lines("Something does not hold:", problems),
      lines(
        "Actions:",
        actions.map((action) => JSON.stringify(action)),
      ),
      `Setup: ${JSON.stringify(setup)}`,
      lines("Story:", story.slice(-maxLines)),
      `Play it again: Simulation.check({ firstSeed: ${seed}, histories: 1 })`,
    ].join("\n\n"),
  })
}

/** Number of histories that are played before the first one. */
const warmUp = 20

/** Makes a simulator. `makeStore`: a store that decides in one step. @defaultValue the memory store */
export const make = (makeStore: MakeStore = MemoryStore.make): Effect.Effect<Simulator> =>
  Effect.map(makeSecrets, (secrets) => {
    const planOf = (seed: number): Plan => {
      const [plan] = fc.sample(plans, { seed, numRuns: 1 })
      if (plan === undefined) throw new Error("No history was drawn")
      return plan
    }
    const playOnce = (seed: number, plan: Plan) => playPlan(makeStore, secrets, seed, plan)
    // The first use of some parts takes a step more. Without these, a history would depend on those before it.
    for (let seed = 1; seed <= warmUp; seed++) playOnce(seed, planOf(seed))
    return {
      play: (seed) => playOnce(seed, planOf(seed)),
      explain: (seed, maxTries = defaultTries) => {
        const kind = kindOf(playOnce(seed, planOf(seed)).problems[0])
        let tries = 0
        const holds = (plan: Plan) =>
          (tries += 1) > maxTries ||
          !playOnce(seed, plan).problems.some((problem) => kindOf(problem) === kind)
        const { counterexample } = fc.check(fc.property(plans, holds), { seed, numRuns: 1 })
        const plan = counterexample?.[0] ?? planOf(seed)
        return failureOf(seed, plan, playOnce(seed, plan))
      },
    }
  })

export interface Options {
  /** The seed of the first history. The others follow. @defaultValue 1 */
  readonly firstSeed?: number | undefined
  /** Number of histories. @defaultValue 100 */
  readonly histories?: number | undefined
  /** Makes the store, which decides in one step. @defaultValue the memory store */
  readonly store?: MakeStore | undefined
}

/** Statistics of histories in which everything holds. */
export interface Checked {
  readonly histories: number
  readonly actions: number
  /** Virtual time of all histories together, in milliseconds. */
  readonly millis: number
  /** How often each fault, transition, error and commit was met. */
  readonly met: ReadonlyMap<string, number>
}

/** Plays histories. Fails with the first one in which something does not hold, shortened. */
export const check = ({ firstSeed = 1, histories = 100, store }: Options = {}): Effect.Effect<
  Checked,
  SimulationFailure
> =>
  Effect.flatMap(make(store), ({ explain, play }): Effect.Effect<Checked, SimulationFailure> => {
    const met = new Map<string, number>()
    let millis = 0
    let count = 0
    for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
      const played = play(seed)
      if (played.problems.length > 0) return Effect.fail(explain(seed))
      for (const [what, times] of played.met) met.set(what, (met.get(what) ?? 0) + times)
      millis += played.millis
      count += played.actions
    }
    return Effect.succeed({ histories, actions: count, millis, met })
  })
