/**
 * An Effect program over the store in memory, which sends a code and checks it over HTTP.
 */
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Senders } from "@countersign/core/services/Senders"
import * as Engine from "@countersign/core/Engine"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import * as Client from "@countersign/http/tenant/Client"
import * as Node from "@countersign/node/Node"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"

const engine = Engine.layerRunning.pipe(
  Layer.provide(MemoryStore.layer),
  Layer.provideMerge(SimulatedGateway.layer()),
  Layer.provide(CodeSecrets.layer(Redacted.make("a secret for tests, and for nothing else"))),
  Layer.provide(Node.layerCrypto),
)

const organization = OrganizationId("acme")

const open = Effect.gen(function* () {
  yield* (yield* Organizations).create({ id: organization })
  yield* (yield* Senders).save({
    organization,
    kind: "non-masking",
    sender: "8809612345678",
    status: "approved",
    isDefault: true,
  })
  yield* (yield* Accounts).topUp({ organization, amount: Money.make("10") })
  return yield* (yield* ApiKeys).create({ organization, name: "backend" })
})

const serve = Effect.fnUntraced(function* () {
  const services = yield* Effect.context<Engine.Engine>()
  const { dispose, listener } = Node.toNodeHandler(Layer.succeedContext(services))
  const server = createServer(listener)
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  return yield* Effect.callback<string>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : undefined
      resume(Effect.succeed(`http://127.0.0.1:${port}/api/v2`))
    })
  })
})

const verify = Effect.gen(function* () {
  const { verifications } = yield* Client.Client
  const sent = yield* verifications.send({ payload: { phone_number: "+8801712345678" } })
  const [received] = yield* (yield* SimulatedGateway.SimulatedGateway).journal()
  const code = /\d{6}/.exec(received?.text ?? "")?.[0] ?? ""
  const { request_id } = sent.data
  const wrong = yield* Effect.flip(verifications.check({ payload: { request_id, code: "0000" } }))
  const checked = yield* verifications.check({ payload: { request_id, code } })
  console.log("effect:", wrong._tag, checked.data.status)
})

const program = Effect.gen(function* () {
  const { key: apiKey } = yield* open
  const baseUrl = yield* serve()
  const client = Client.layer({ baseUrl, apiKey }).pipe(Layer.provide(FetchHttpClient.layer))
  yield* Effect.provide(verify, client)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(engine)))
