/**
 * Runs commands in this process, over a store that the test has open.
 */
import * as Cli from "@countersign/cli/Cli"
import { Store } from "@countersign/core/ports/Store"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { ChildProcessSpawner, make as makeSpawner } from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import * as TestConsole from "effect/testing/TestConsole"

export interface Options {
  /** The environment of the process. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** The keys that the user presses at a terminal. `undefined`: there is no terminal. */
  readonly keys?: ReadonlyArray<string> | undefined
  /** Hears each line of the output as it is printed. */
  readonly hear?: ((line: string) => void) | undefined
  /** Hears what is written to the terminal of the error output. `undefined`: it is no terminal. */
  readonly watch?: ((text: string) => void) | undefined
}

export interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

const terminalOf = (keys: ReadonlyArray<string>) =>
  Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.die(new Error("unused")),
    readLine: Effect.die(new Error("unused")),
    display: () => Effect.void,
    readInput: Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Terminal.UserInput>()
      for (const name of keys) {
        const key = { name, ctrl: false, meta: false, shift: false }
        yield* Queue.offer(queue, { input: Option.some(name), key })
      }
      return queue
    }),
  })

const layerPlatform = ({ env = {}, keys, watch }: Options) => {
  const isTerminal = Effect.succeed(keys !== undefined)
  return Layer.mergeAll(
    FileSystem.layerNoop({}),
    Path.layer,
    Stdio.layerTest({
      stdinIsTerminal: isTerminal,
      stdoutIsTerminal: isTerminal,
      stderrIsTerminal: Effect.succeed(watch !== undefined),
      stderr: () => Sink.forEach((text) => Effect.sync(() => watch?.(String(text)))),
    }),
    Layer.succeed(Terminal.Terminal, terminalOf(keys ?? [])),
    Layer.succeed(
      ChildProcessSpawner,
      makeSpawner(() => Effect.die(new Error("unused"))),
    ),
    DateTime.layerCurrentZoneOffset(6 * 3_600_000),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env: { TERM: "xterm", NO_COLOR: "1", ...env } })),
  )
}

/** Runs a command without a database of its own. */
export const runBare = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  options: Options = {},
): Effect.fn.Return<Ran> {
  const recorded = yield* TestConsole.make
  const console: Console.Console = {
    ...recorded,
    log: (line: unknown) => {
      options.hear?.(String(line))
      recorded.log(line)
    },
  }
  const exitCode = yield* Cli.run(args).pipe(
    Effect.provideService(Console.Console, console),
    Effect.provide(layerPlatform(options)),
  )
  const stdout = (yield* recorded.logLines).join("\n")
  const stderr = (yield* recorded.errorLines).join("\n")
  return { exitCode, stdout, stderr }
})

/** Runs a command over the store in the context. */
export const runCli = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  options: Options = {},
): Effect.fn.Return<Ran, never, Store> {
  const store = Layer.succeed(Store, yield* Store)
  return yield* Effect.provideService(runBare(args, options), Cli.GivenStore, store)
})

/** Runs a command with `--json` that succeeds, and returns its value. */
export const runJson = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  options: Options = {},
): Effect.fn.Return<unknown, never, Store> {
  const { exitCode, stderr, stdout } = yield* runCli(["--json", ...args], options)
  if (exitCode !== 0) return yield* Effect.die(new Error(`exit code ${exitCode}: ${stderr}`))
  return decodeJson(stdout)
})

export const decodeJson = Schema.decodeSync(Schema.fromJsonString(Schema.Unknown))
