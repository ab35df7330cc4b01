/**
 * Puts the layers together and runs them until SIGTERM or SIGINT.
 */
import * as Node from "@countersign/node/Node"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Database from "./Database.ts"
import * as Engine from "./Engine.ts"
import * as Server from "./Server.ts"
import * as Telemetry from "./Telemetry.ts"

const application = Layer.merge(Server.layer, Telemetry.layerEvents).pipe(
  Layer.provide(Engine.layer),
  Layer.provide([Database.layer, Node.layerCrypto]),
  Layer.provide([Telemetry.layerLogger, Telemetry.layerTracer]),
)

NodeRuntime.runMain(Layer.launch(application), {
  // A stop signal is not a failure.
  teardown: (exit, onExit) =>
    onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1),
})
