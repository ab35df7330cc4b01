/** The engine on the memory store, mounted in the way that `MOUNT` names. */
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import * as Engine from "@countersign/core/Engine"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import * as Node from "@countersign/node/Node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { mounts } from "../../support/mounts.ts"
import { ready } from "./serve.ts"

const engine = Engine.layerRunning.pipe(
  Layer.provide([MemoryStore.layer, SimulatedGateway.layer()]),
  Layer.provide(CodeSecrets.layer(Redacted.make("b".repeat(32)))),
  Layer.provide(Node.layerCrypto),
)

const named = process.env["MOUNT"]
const name = Object.keys(mounts).find((one): one is keyof typeof mounts => one === named)

const main = Effect.gen(function* () {
  if (name === undefined) throw new Error(`There is no mount ${named}`)
  const { id: organization } = yield* (yield* Organizations).create({ id: "bench" })
  yield* (yield* Accounts).topUp({ organization, amount: Money.make("100") })
  const { key } = yield* (yield* ApiKeys).create({ organization, name: "bench" })
  const baseUrl: string = yield* mounts[name]({})
  ready({ origin: new URL(baseUrl).origin, keys: [Redacted.value(key)] })
  return yield* Effect.never
})

Effect.runFork(
  main.pipe(
    Effect.scoped,
    Effect.provide(engine),
    Effect.tapCause((cause) =>
      Effect.sync(() => {
        console.error(String(cause))
        process.exit(1)
      }),
    ),
  ),
)
