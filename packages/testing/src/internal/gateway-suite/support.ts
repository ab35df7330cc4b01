import { Accounts } from "@countersign/core/services/Accounts"
import { Gateway, type GatewayMessage } from "@countersign/core/ports/Gateway"
import type { GatewayOutcome } from "@countersign/core/domain/messages/GatewayOutcome"
import * as Engine from "@countersign/core/Engine"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { Messages } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/values/Money"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import { Store } from "@countersign/core/ports/Store"
import { assert } from "@effect/vitest"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import * as TestEngine from "../../TestEngine.ts"
import { within } from "../within.ts"
import type { Body, Plan, Play } from "./plan.ts"
import type { Expected, Platform } from "./subject.ts"
import { assertSecret, secretsOf, watch } from "./watch.ts"

/** The platform of adapters in production, except for the server's own hash functions. */
export const platform: Layer.Layer<Platform> = Layer.mergeAll(
  FetchHttpClient.layer,
  Mac.layerWebCrypto,
  Aead.layerWebCrypto,
  Digest.layerWebCrypto,
).pipe(Layer.provideMerge(SecureRandom.layerWebCrypto))

/** Runs a test, and searches its logs, spans and results for secrets. */
export const performed = (plan: Plan, body: Body): Effect.Effect<void, unknown> => {
  const watched = watch()
  return Effect.gen(function* () {
    yield* TestClock.setTime(Samples.now)
    yield* Effect.scoped(Effect.gen(() => body(watched.tell)))
    assertSecret(watched.seen(), [...plan.secrets, ...secretsOf(plan.message)])
  }).pipe(Effect.provide(platform), Effect.provide(watched.layer))
}

/** Whether the outcome has the expected fields. Other fields are not checked. */
const isAsExpected = (outcome: GatewayOutcome, expected: Expected): boolean => {
  const fields: Readonly<Record<string, unknown>> = { ...outcome }
  return Object.entries(expected).every(
    ([name, value]) => value === undefined || fields[name] === value,
  )
}

/** Sends the message of a play, and checks the outcome. */
export const performPlay = (play: Play, tell: (value: unknown) => void) =>
  Effect.gen(function* () {
    const { expected, meanwhile, message, reached } = play
    const stage = yield* play.stage
    const sending = yield* Effect.forkChild(stage.adapter.gateway.send(message), {
      startImmediately: true,
    })
    if (meanwhile !== undefined) yield* meanwhile(stage)
    const outcome = yield* within(`the outcome of "${play.title}"`, Fiber.join(sending))
    tell(outcome)
    if (!expected.some((one) => isAsExpected(outcome, one))) {
      assert.deepStrictEqual<unknown>(outcome, expected)
    }
    // For every outcome, the message was sent exactly this often.
    assert.strictEqual(stage.count(), reached)
  })

/** The engine in memory over a gateway. */
export const engineOver = (gateway: Gateway["Service"]) =>
  Layer.fresh(Engine.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.fresh(MemoryStore.layer),
        Layer.succeed(Gateway, gateway),
        CodeSecrets.layer(TestEngine.codeSecret),
      ),
    ),
  )

/** Sends a message through the engine. */
export const sendOver = (
  organization: OrganizationId,
  { channel, text, phoneNumber }: GatewayMessage,
) => Messages.use((_) => _.send({ organization, phoneNumber, channel, text: Redacted.value(text) }))

/** Returns the newest entry of the log and the state of the account. */
export const stateOf = Effect.fnUntraced(function* (organization: OrganizationId) {
  const { messages } = yield* Messages.use((_) => _.list({ organization }))
  const account = yield* Store.use((store) => store.account(organization))
  const entries = yield* Accounts.use((_) => _.entries({ organization }))
  return {
    log: messages[0]?.status ?? "",
    entries: entries.length,
    held: Money.format(account?.held ?? Money.make("0")),
  }
})
