import * as Samples from "@countersign/testing/Samples"
import { assert, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import type { View } from "../../src/decide/Decision.ts"
import { decide, inWords } from "./transcript.ts"

/** Rows that differ from the common ones or are added, and what the command has of its own. */
export type Row<O> = readonly [given: string, ends: string, rows?: Partial<View>, overrides?: O]

/** Defines a test for each row, which ends in the decision in words. */
export const decides = <O>(
  command: (overrides?: O) => Command,
  common: Partial<View>,
  table: ReadonlyArray<Row<O>>,
  now = Samples.now,
) => {
  for (const [given, ends, rows, overrides] of table) {
    it(`with ${given}: ${ends}`, () => {
      const decision = decide({ ...common, ...rows }, command(overrides), now)
      assert.strictEqual(inWords(decision), ends)
    })
  }
}
