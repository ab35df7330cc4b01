/**
 * Starts the quickstart and stops it at SIGTERM or SIGINT. What can be set is in
 * `Settings`, how it is put together in `Quickstart`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Activity from "./Activity.ts"
import * as Failure from "./Failure.ts"
import { endWithPackageManager } from "./PackageManager.ts"
import * as Quickstart from "./Quickstart.ts"
import * as Settings from "./Settings.ts"

const program = Effect.flatMap(Settings.settings, Quickstart.run).pipe(
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(Failure.explain(cause)),
  ),
  Effect.provide(Activity.layerLogger),
)

endWithPackageManager()

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  // A stop signal is not a failure.
  teardown: (exit, onExit) =>
    onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1),
})
