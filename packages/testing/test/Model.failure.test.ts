import * as Money from "@countersign/core/domain/values/Money"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Model from "../src/Model.ts"
import { altering, withMistake } from "./support/mistakenStore.ts"

describe("ModelFailure", () => {
  it.effect("names the difference, the history, and how to replay the history", () =>
    Effect.gen(function* () {
      const layer = altering((command) =>
        "paymentId" in command && command.kind === "top-up" && command.paymentId === "payment 0"
          ? { ...command, amount: Money.fromUnits(command.amount + 1) }
          : command,
      )
      const maxCommands = 30
      const failure = yield* Effect.flip(Model.check({ layer, seed: 1, maxCommands }))
      const { message, path, replayPath, seed } = failure
      const setup = /^  \{"reports":.*\}$/m.exec(message)?.[0]
      assert.deepStrictEqual(message.split("\n"), [
        "Engine and model differ: the answer to topUp",
        "",
        "expected:",
        "  65000 left",
        "",
        "actual:",
        "  65001 left",
        "",
        "history:",
        '  1. topUp {"node":0,"org":0,"payment":0,"units":5000}',
        "",
        "setup:",
        setup,
        "",
        "replay:",
        `  seed 1, path ${path}, replay path ${replayPath}`,
        `  Model.check({ layer, seed: 1, path: "${path}", replayPath: "${replayPath}", maxCommands: 30, endOnFailure: true })`,
      ])
      const again = { layer, seed, path, replayPath, maxCommands, endOnFailure: true }
      assert.deepStrictEqual(yield* Effect.flip(Model.check(again)), failure)
    }),
  )

  it.effect("shows a long answer of both sides in full", () =>
    Effect.gen(function* () {
      const layer = withMistake((store) => ({
        messages: (organization, query) =>
          Effect.map(store.messages(organization, query), (page) =>
            page !== undefined && query.limit === 5 && page.messages.length === 5
              ? { ...page, messages: page.messages.toReversed() }
              : page,
          ),
      }))
      const { message } = yield* Effect.flip(
        Model.check({ layer, seed: 1, numRuns: 1_000, endOnFailure: true }),
      )
      const [title, expected = "", actual = ""] = message.split("\n\n")
      assert.strictEqual(title, "Engine and model differ: the answer to list")
      const linesOf = (block: string) => block.split("\n").slice(2)
      assert.lengthOf(linesOf(expected), 5)
      assert.deepStrictEqual(linesOf(actual), linesOf(expected).toReversed())
    }),
  )

  it.effect("includes the error of a failing store", () =>
    Effect.gen(function* () {
      const layer = withMistake(() => ({ prune: () => Effect.die(new Error("disk full")) }))
      const { message } = yield* Effect.flip(Model.check({ layer, seed: 1 }))
      assert.match(message, /^The engine or the store failed: Error: disk full/)
      assert.match(message, /\n\nhistory:\n {2}1\. prune \{.*\}\n\n/)
    }),
  )
})
