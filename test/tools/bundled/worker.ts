/**
 * A Worker that has the engine in it, over the store in memory. Nothing runs between requests, as a Worker
 * wants it: settlement would be a scheduled event.
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
import * as Http from "@countersign/http/tenant/TenantHttp"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"

const engine = Engine.layer.pipe(
  Layer.provide(MemoryStore.layer),
  Layer.provideMerge(SimulatedGateway.layer()),
  Layer.provide(CodeSecrets.layer(Redacted.make("at least 32 characters, from a vault"))),
  Layer.provide([Aead.layerWebCrypto, Mac.layerWebCrypto, Digest.layerWebCrypto]),
  Layer.provide(SecureRandom.layerWebCrypto),
)

const open = Effect.gen(function* () {
  const organization = OrganizationId("acme")
  yield* (yield* Organizations).create({ id: organization })
  yield* (yield* Senders).save({
    organization,
    kind: "non-masking",
    sender: "8809612345678",
    status: "approved",
    isDefault: true,
  })
  yield* (yield* Accounts).topUp({ organization, amount: Money.make("10") })
  const { key } = yield* (yield* ApiKeys).create({ organization, name: "backend" })
  return Redacted.value(key)
})

const latestText = Effect.gen(function* () {
  const [latest] = yield* (yield* SimulatedGateway.SimulatedGateway).journal()
  return latest?.text ?? ""
})

// A Worker may draw random numbers and set timers within a request only, so the first one builds it.
const build = () => {
  const runtime = ManagedRuntime.make(engine)
  return { runtime, web: Http.toWebHandler(engine, { memoMap: runtime.memoMap }) }
}
let built: ReturnType<typeof build> | undefined

/** `GET /key` opens an account, `GET /inbox` shows what a phone would; the rest is the interface. */
const worker = {
  fetch: async (request: Request): Promise<Response> => {
    const { runtime, web } = (built ??= build())
    const { pathname } = new URL(request.url)
    if (pathname === "/key") return new Response(await runtime.runPromise(open))
    if (pathname === "/inbox") return new Response(await runtime.runPromise(latestText))
    return web.fetch(request)
  },
}

export default worker
