import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../../src/decide/Command.ts"
import { isEnding } from "../../src/decide/Needs.ts"

describe("isEnding", () => {
  const commands: ReadonlyArray<readonly [Command, boolean]> = [
    [Samples.topUp(), false],
    [Samples.beginLookup(), true],
    [Samples.closeMessage(), true],
    [Samples.followVerification(), true],
    [Samples.reclaimMessage(), true],
  ]

  for (const [command, expected] of commands) {
    it(`is ${expected} for ${command._tag}`, () => {
      assert.strictEqual(isEnding(command), expected)
    })
  }
})
