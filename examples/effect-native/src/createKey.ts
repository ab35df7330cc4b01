/**
 * Makes an API key for `/api/v2` and prints it, once and for all: only its hash is kept.
 */
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import * as Node from "@countersign/node/Node"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Database from "./Database.ts"
import * as Engine from "./Engine.ts"

const program = Effect.gen(function* () {
  const { key } = yield* (yield* ApiKeys).create({
    organization: Engine.organization,
    name: "from the command line",
  })
  yield* Console.log(Redacted.value(key))
})

NodeRuntime.runMain(
  program.pipe(
    Effect.provide(Engine.layer.pipe(Layer.provide([Database.layer, Node.layerCrypto]))),
  ),
)
