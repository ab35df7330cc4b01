/**
 * Plays random histories to the engine over a store, next to a naive model of
 * the service that works every answer out from all that has happened, and
 * compares the two word by word. At the end of each history the rows are
 * compared as well, and asked for the invariants.
 */
import type { Store } from "@countersign/core/ports/Store"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import type { Snapshot } from "./Invariants.ts"
import { actions, config } from "./internal/model/actions.ts"
import { actionText, failureReport, historyOf } from "./internal/model/failureReport.ts"
import { perform } from "./internal/model/perform.ts"
import { makeReal, type Real } from "./internal/model/real.ts"
import { Reference } from "./internal/model/reference.ts"
import { verdict } from "./internal/model/verdict.ts"
import type { Action, Config } from "./internal/model/world.ts"
import * as Samples from "./Samples.ts"

export interface Options<E> {
  /** Built anew for every history; has to give an empty store that takes its time from the Effect `Clock`. */
  readonly layer: Layer.Layer<Store, E>
  /** How many histories; 100 when left out. */
  readonly numRuns?: number | undefined
  /** Most actions in one history; 40 when left out. */
  readonly maxCommands?: number | undefined
  /** The seed of an earlier failure; drawn anew when left out. */
  readonly seed?: number | undefined
  /** The path of an earlier failure, to see it alone; give its `seed` and `replayPath` with it. */
  readonly path?: string | undefined
  /** Reports the first failure as it was found instead of the shortest. */
  readonly endOnFailure?: boolean | undefined
  /** The replay path of an earlier failure. */
  readonly replayPath?: string | undefined
}

/** What was played, when nothing was found. */
export interface Checked {
  readonly histories: number
  readonly actions: number
  /** How often each kind of answer was met, as in `check: WrongCode #`. */
  readonly met: ReadonlyMap<string, number>
  readonly seed: number
}

/**
 * A history in which engine and model differ, shortened as far as possible. `seed`, `path` and `replayPath`,
 * given back to `check`, play it again.
 */
export class ModelFailure extends Data.TaggedError("ModelFailure")<{
  /**
   * The kind of difference, expected and actual in full, the actions of the history one per line, the setup,
   * and the call of `check` that plays the history again.
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
  readonly action: Action

  constructor(action: Action) {
    this.action = action
  }

  check(): boolean {
    return true
  }

  run(reference: Reference, { real, run }: Stage): Promise<void> {
    return run(perform(this.action, reference, real))
  }

  toString(): string {
    return actionText(this.action)
  }
}

/** After how many actions the rows are compared, besides the end. */
const verdictEvery = 10

/** Plays one history on a store of its own, from its own beginning of time. */
const history = <E>(
  layer: Layer.Layer<Store, E>,
  setup: Config,
  steps: Iterable<fc.AsyncCommand<Reference, Stage>>,
  met: Map<string, number>,
): Effect.Effect<void, unknown> =>
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
  }).pipe(
    Effect.scoped,
    // Gateways that fail are what histories are about; each would be logged.
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.provide(TestClock.layer()),
  )

/** Plays `numRuns` histories; fails with the shortest one in which engine and model differ. */
export const check = <E>(options: Options<E>): Effect.Effect<Checked, ModelFailure> => {
  const met = new Map<string, number>()
  let played = 0
  const { endOnFailure = false, layer, maxCommands = 40, numRuns = 100 } = options
  const { path, replayPath, seed } = options
  const steps = fc.commands(
    actions.map((action) => action.map((one) => new Step(one))),
    { maxCommands, size: "max", ...(replayPath === undefined ? {} : { replayPath }) },
  )
  const property = fc.asyncProperty(config, steps, async (setup, commands) => {
    await Effect.runPromise(history(layer, setup, commands, met))
    played += [...commands].length
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
