/** Runs a command of the terminal. */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Cli from "../Cli.ts"

const platform = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      NodeFileSystem.layer,
      NodePath.layer,
      NodeStdio.layer,
      NodeTerminal.layer,
      DateTime.layerCurrentZoneLocal,
    ),
  ),
)

export const runInTerminal = (args: ReadonlyArray<string>): void => {
  // The reader of a pipe, such as `head`, may leave early.
  process.stdout.on("error", (error) => {
    process.exit("code" in error && error.code === "EPIPE" ? 0 : 1)
  })

  NodeRuntime.runMain(
    Effect.map(Cli.run(args), (exitCode) => {
      process.exitCode = exitCode
    }).pipe(Effect.provide(platform)),
  )
}
