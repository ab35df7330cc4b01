/** Tests that are generators of effects, with the services that adapters need. */
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

type Steps = Generator<Effect.Effect<unknown, unknown, GatewaySuite.Platform | Scope.Scope>, void>

const performed = (steps: () => Steps) => Effect.provide(Effect.gen(steps), GatewaySuite.platform)

export const test = Object.assign(
  (title: string, body: () => Steps) => it.effect(title, () => performed(body)),
  {
    /** The same test for each row, which its title shows. */
    each:
      <const Row>(rows: ReadonlyArray<Row>) =>
      (title: string, body: (row: Row) => Steps) =>
        it.effect.each(rows)(title, (row) => performed(() => body(row))),
  },
)
