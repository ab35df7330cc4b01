/**
 * One node of the service for measurements, in a process of its own: PostgreSQL by DATABASE_URL, an
 * instant gateway, no limits. Prints where it listens and with which key, and answers SIGUSR2 with its
 * batch sizes.
 */
import * as Accounts from "@countersign/core/Accounts"
import * as ApiKeys from "@countersign/core/ApiKeys"
import * as Brands from "@countersign/core/Brands"
import * as Engine from "@countersign/core/Engine"
import * as Money from "@countersign/core/Money"
import * as Organizations from "@countersign/core/Organizations"
import { Peppers } from "@countersign/core/Peppers"
import { SimulatedGateway } from "@countersign/core/SimulatedGateway"
import * as Telemetry from "@countersign/core/Telemetry"
import * as Node from "@countersign/node/Node"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"

const url = Redacted.make(process.env["DATABASE_URL"] ?? "")

const engine = Engine.layerRunning.pipe(
  Layer.provideMerge(PostgresStore.layer()),
  Layer.provide(PostgresClient.layer({ url })),
  Layer.provideMerge(SimulatedGateway.layer()),
  Layer.provide(Peppers.layer({ id: "bench", secret: Redacted.make("b".repeat(32)) })),
  Layer.provideMerge(Node.layerCrypto),
)

const limits = {
  sendsPerNumber: null,
  checksPerOrganization: null,
  pendingPerNumber: 1_000,
}

const main = Effect.gen(function* () {
  const organizations = yield* Organizations.Organizations
  const { id: organization } = yield* organizations.create({ id: "bench", settings: { limits } })
  yield* (yield* Brands.Brands).save({
    organization,
    kind: "non-masking",
    sender: "8809612000000",
    status: "approved",
    isDefault: true,
  })
  yield* (yield* Accounts.Accounts).topUp({ organization, amount: Money.make("10000000") })
  const { key } = yield* (yield* ApiKeys.ApiKeys).create({ organization, name: "bench" })
  const { origin } = yield* Node.NodeServer
  const context = yield* Effect.context<never>()
  const gateway = yield* SimulatedGateway
  process.on("message", (question) => {
    if (question === "batches") {
      process.send?.(Effect.runSyncWith(context)(Metric.value(Telemetry.batchSize)))
    }
    if (question === "codes") {
      const journal = Effect.runSyncWith(context)(gateway.journal())
      process.send?.(journal.map(({ text, to }) => [to, text.slice(0, 6)]))
    }
  })
  process.send?.({ origin, key: Redacted.value(key) })
  return yield* Effect.never
})

Effect.runFork(
  main.pipe(
    Effect.provide(
      Node.layerServer({ port: 0, documentation: false }).pipe(Layer.provideMerge(engine)),
    ),
    Effect.tapCause((cause) => Effect.sync(() => console.error(String(cause)))),
  ),
)
