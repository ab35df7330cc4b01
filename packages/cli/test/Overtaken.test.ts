import { exitCodes } from "@countersign/cli/ExitCode"
import { Store } from "@countersign/core/ports/Store"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { runCli, runJson } from "./support/runCli.ts"
import { testsOver } from "../../../test/support/testsOver.ts"

const engine = testsOver(TestEngine.layer())
const env = { COUNTERSIGN_ORGANIZATION: "acme" }
const json = (...args: ReadonlyArray<string>) => runJson(args, { env })
const Id = Schema.Struct({ id: Schema.String })

describe("two operators at once", () => {
  type Args = ReadonlyArray<string>

  /** Runs a command, and another one between its reads and its change. */
  const overtaken = Effect.fnUntraced(function* (first: Args, second: Args) {
    const store = yield* Store
    const others = [second]
    return yield* Effect.provideService(runCli(first, { env }), Store, {
      ...store,
      changeOrganization: Effect.fnUntraced(function* (id, change, actor) {
        const [other] = others.splice(0)
        if (other !== undefined) yield* Effect.provideService(runCli(other, { env }), Store, store)
        return yield* store.changeOrganization(id, change, actor)
      }),
    })
  })

  engine.effect("lose no change of a list, of limits or of a sender", function* () {
    yield* TestEngine.open()
    yield* overtaken(["allow", "add", "::1", "--yes"], ["allow", "add", "::2", "--yes"])
    assert.deepStrictEqual(yield* json("allow", "list"), ["::2", "::1"])
    yield* overtaken(["limits", "set", "attempts=4"], ["limits", "set", "resends=2"])
    assert.deepStrictEqual(yield* json("limits", "show"), { attempts: 4, resends: 2 })
    yield* overtaken(["limits", "set", "attempts=default"], ["limits", "set", "resends=3"])
    assert.deepStrictEqual(yield* json("limits", "show"), { resends: 3 })
    const save = ["sender", "save", "--kind", "masking", "--status", "pending"]
    const { id } = Schema.decodeUnknownSync(Id)(yield* json(...save, "ACME"))
    yield* overtaken(["sender", "approve", id], [...save, "--id", id, "OTHER"])
    const { stdout } = yield* runCli(["sender", "list"], { env })
    assert.match(stdout, new RegExp(`${id} +masking +OTHER +approved`))
  })

  engine.effect("open the list to every address only if they were asked", function* () {
    yield* TestEngine.open()
    yield* json("allow", "add", "::1", "::2", "--yes")
    const first = yield* overtaken(["allow", "remove", "::1"], ["allow", "remove", "::2"])
    assert.strictEqual(first.exitCode, exitCodes.failed)
    assert.include(first.stderr, "Others have removed the rest")
    assert.deepStrictEqual(yield* json("allow", "list"), ["::1"])
  })
})
