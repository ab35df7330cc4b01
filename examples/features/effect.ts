/** With Effect, the engine is a layer. */
import assert from "node:assert/strict"
import { Accounts, Engine, Ids, MemoryStore, Money, Organizations } from "@countersign/core"
import { CodeSecrets, SimulatedGateway, Verifications } from "@countersign/core"
import { Effect, Layer, Redacted } from "effect"
import { Aead, Digest, Mac, SecureRandom } from "effect/crypto"

const crypto = Layer.mergeAll(Aead.layerWebCrypto, Mac.layerWebCrypto, Digest.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto),
)

const engine = Engine.layerRunning.pipe(
  Layer.provideMerge(MemoryStore.layer),
  Layer.provideMerge(SimulatedGateway.layer()),
  Layer.provide(CodeSecrets.layer(Redacted.make("at least 32 characters, from a vault"))),
  Layer.provide(crypto),
)

const program = Effect.gen(function* () {
  const organization = Ids.OrganizationId("acme")
  const senders = { sms: "8809612345678" }
  yield* (yield* Organizations.Organizations).create({ id: organization, senders })
  yield* (yield* Accounts.Accounts).topUp({ organization, amount: Money.make("10") })

  const verifications = yield* Verifications.Verifications
  const sent = yield* verifications.send({ organization, phoneNumber: "+8801712345678" })
  const { phoneNumber, requestId } = sent

  // What the phone would show. A code is six digits at the front of the text.
  const [received] = yield* (yield* SimulatedGateway.SimulatedGateway).journal(phoneNumber)
  const code = Redacted.make(received?.text.slice(0, 6) ?? "")

  const { status } = yield* verifications.check({ organization, requestId, code })
  assert.equal(status, "verified")
})

await Effect.runPromise(program.pipe(Effect.provide(engine)))
