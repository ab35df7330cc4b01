/**
 * Model-based test of the engine over a store. It plays random histories to the engine and to a naive model
 * that computes each answer from the whole history, and compares the answers exactly. At the end of each
 * history it also compares the rows and checks the invariants.
 */
import type { Store } from "@countersign/core/ports/Store"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import type { Snapshot } from "./Invariants.ts"
import { actions } from "./internal/model/actions.ts"
import { episodes } from "./internal/model/episodes.ts"
import { actionText, failureReport, historyOf } from "./internal/model/failureReport.ts"
import { perform } from "./internal/model/perform.ts"
import { makeReal, type Real } from "./internal/model/real.ts"
import { Reference } from "./internal/model/reference.ts"
import { verdict } from "./internal/model/verdict.ts"
import { type Action, type Config, config } from "./internal/model/scenario.ts"
import * as Samples from "./Samples.ts"

export interface Options<E> {
  /** Built once per history. Has to give an empty store that takes its time from the Effect `Clock`. */
  readonly layer: Layer.Layer<Store, E>
  /** Number of histories. @defaultValue 100 */
  readonly numRuns?: number | undefined
  /** Most actions in one history. @defaultValue 40 */
  readonly maxCommands?: number | undefined
  /** The seed of an earlier failure. @defaultValue a random seed */
  readonly seed?: number | undefined
  /** The path of an earlier failure, to replay only that. Requires its `seed` and `replayPath`. */
  readonly path?: string | undefined
  /** Reports the first failure unchanged instead of the shortest. @defaultValue `false` */
  readonly endOnFailure?: boolean | undefined
  /** The replay path of an earlier failure. */
  readonly replayPath?: string | undefined
}

/** Statistics of a check without failures. */
export interface Checked {
  readonly histories: number
  readonly actions: number
  /** Number of answers of each kind, with keys such as `check: WrongCode #`. */
  readonly met: ReadonlyMap<string, number>
  readonly seed: number
}

/**
 * A history in which engine and model differ, shortened as far as possible. To replay it, pass `seed`, `path`
 * and `replayPath` to `check`.
 */
export class ModelFailure extends Data.TaggedError("ModelFailure")<{
  /**
   * The kind of difference, and the expected and the actual value in full. Then the actions of the history one
   * per line, the setup, and the call of `check` that replays the history.
   */
  readonly message: string
  readonly seed: number
  readonly path: string
  readonly replayPath: string
}> {}

interface Stage {
  readonly real: Real
  readonly run: (effect: Effect.Effect<ReadonlyArray<string>, unknown>) => Promise<void>
}

class Step implements fc.AsyncCommand<Reference, Stage> {
  readonly actions: ReadonlyArray<Action>

  constructor(actions: ReadonlyArray<Action>) {
    this.actions = actions
  }

  check(): boolean {
    return true
  }

  async run(reference: Reference, { real, run }: Stage): Promise<void> {
    for (const action of this.actions) await run(perform(action, reference, real))
  }

  toString(): string {
    return this.actions.map(actionText).join("")
  }
}

/** Number of actions between comparisons of the rows. They are also compared at the end. */
const verdictEvery = 10

/** Plays one history on its own store, with its own clock. Returns the number of its actions. */
const history = <E>(
  layer: Layer.Layer<Store, E>,
  setup: Config,
  steps: Iterable<fc.AsyncCommand<Reference, Stage>>,
  met: Map<string, number>,
): Effect.Effect<number, unknown> =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Samples.now)
    const real = yield* makeReal(setup, layer)
    const reference = new Reference(setup, Samples.now)
    const context = yield* Effect.context<never>()
    const runPromise = Effect.runPromiseWith(context)
    let earlier: ReadonlyArray<Snapshot> = []
    let taken = 0
    const step = Effect.fnUntraced(function* (
      effect: Effect.Effect<ReadonlyArray<string>, unknown>,
    ) {
      for (const kind of yield* effect) met.set(kind, (met.get(kind) ?? 0) + 1)
      taken += 1
      if (taken % verdictEvery === 0) earlier = yield* verdict(reference, real, earlier)
    })
    const run: Stage["run"] = (effect) => runPromise(step(effect))
    yield* Effect.promise(() =>
      fc.asyncModelRun(() => ({ model: reference, real: { real, run } }), steps),
    )
    yield* verdict(reference, real, earlier)
    return taken
  }).pipe(
    Effect.scoped,
    // Histories consist of failing gateways, and each failure would be logged.
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.provide(TestClock.layer()),
  )

/** Plays `numRuns` histories. Fails with the shortest history in which engine and model differ. */
export const check = <E>(options: Options<E>): Effect.Effect<Checked, ModelFailure> => {
  const met = new Map<string, number>()
  let played = 0
  const { endOnFailure = false, layer, maxCommands = 40, numRuns = 100 } = options
  const { path, replayPath, seed } = options
  const steps = fc.commands(
    [...actions.map((action) => action.map((one) => [one])), ...episodes].map((step) =>
      step.map((taken) => new Step(taken)),
    ),
    { maxCommands, size: "max", ...(replayPath === undefined ? {} : { replayPath }) },
  )
  const property = fc.asyncProperty(config, steps, async (setup, commands) => {
    played += await Effect.runPromise(history(layer, setup, commands, met))
  })
  const parameters = {
    numRuns,
    endOnFailure,
    ...(seed === undefined ? {} : { seed }),
    ...(path === undefined ? {} : { path }),
  }
  return Effect.flatMap(
    Effect.promise(() => fc.check(property, parameters)),
    (details): Effect.Effect<Checked, ModelFailure> => {
      const {
        counterexample,
        counterexamplePath,
        errorInstance,
        numRuns: histories,
        seed,
      } = details
      if (counterexample === null) {
        return Effect.succeed({ histories, actions: played, met, seed })
      }
      const [setup, commands] = counterexample
      const { actions, replayPath } = historyOf(commands)
      const replay = { seed, path: counterexamplePath ?? "", replayPath }
      const message = failureReport(errorInstance, setup, actions, {
        ...replay,
        maxCommands: options.maxCommands,
      })
      return Effect.fail(new ModelFailure({ message, ...replay }))
    },
  )
}
