/**
 * Puts the layers together and runs them until SIGTERM or SIGINT.
 */
import * as Engine from "@countersign/core/Engine"
import * as Node from "@countersign/node/Node"
import * as PgliteClient from "@countersign/postgres/PgliteClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { DataFolder } from "./DataFolder.ts"
import * as Server from "./Server.ts"
import * as Sms from "./Sms.ts"

const layerStore = PostgresStore.layer().pipe(
  Layer.provide(
    Layer.unwrap(
      Effect.map(DataFolder, ({ database }) => PgliteClient.layer({ dataDir: database })),
    ),
  ),
)

const layerCodeSecrets = Layer.unwrap(Effect.map(DataFolder, ({ secrets }) => secrets))

const application = Server.layer.pipe(
  Layer.provide(Engine.layerRunning),
  Layer.provide([layerStore, layerCodeSecrets, Sms.layerGateway]),
  Layer.provide(Sms.Sms.layer),
  Layer.provide([DataFolder.layer, FetchHttpClient.layer, Node.layerCrypto]),
)

const program = Layer.launch(application).pipe(
  Effect.tapCause((cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const [failure] = cause.reasons.filter(Cause.isFailReason)
    return Console.error(
      failure === undefined
        ? Cause.pretty(cause)
        : `kannel cannot run: ${failure.error.message.replaceAll(/\s*\n\s*/g, " ")}`,
    )
  }),
)

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  // A stop signal is not a failure.
  teardown: (exit, onExit) =>
    onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1),
})
