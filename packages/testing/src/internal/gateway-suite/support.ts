import { Accounts } from "@countersign/core/Accounts"
import { Gateway, type GatewayMessage } from "@countersign/core/Gateway"
import type { GatewayOutcome } from "@countersign/core/GatewayOutcome"
import * as Engine from "@countersign/core/Engine"
import type { OrganizationId } from "@countersign/core/Ids"
import * as MemoryStore from "@countersign/core/MemoryStore"
import { Messages } from "@countersign/core/Messages"
import * as Money from "@countersign/core/Money"
import { Peppers } from "@countersign/core/Peppers"
import { Store } from "@countersign/core/Store"
import { assert } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type * as Scope from "effect/Scope"
import * as Samples from "../../Samples.ts"
import { type Adapter, type Expected, message, type Options, type Platform } from "./subject.ts"
import * as TestEngine from "../../TestEngine.ts"
import { type Conduct, startVendor, type Vendor } from "./vendor.ts"
import { assertSecret, secretsOf, watch } from "./watch.ts"

/** A test. What it tells to `tell` is searched for secrets, as are all logs and spans. */
export type Body = (
  tell: (value: unknown) => void,
) => Effect.Effect<void, unknown, Platform | Scope.Scope>

/** Registers a test. */
export type Test = (title: string, body: Body) => void

/** The platform that adapters run on in production, but for the server's own ways to hash. */
export const platform: Layer.Layer<Platform> = Layer.mergeAll(
  FetchHttpClient.layer,
  Mac.layerWebCrypto,
  Digest.layerWebCrypto,
).pipe(Layer.provideMerge(SecureRandom.layerWebCrypto))

/** Performs a test, and searches what could be seen of it. */
export const performed = (options: Options, body: Body): Effect.Effect<void, unknown> => {
  const watched = watch()
  return Effect.gen(function* () {
    yield* TestClock.setTime(Samples.now)
    yield* Effect.scoped(body(watched.tell))
    assertSecret(watched.seen(), [...options.secrets, ...secretsOf(message(options.message))])
  }).pipe(Effect.provide(platform), Effect.provide(watched.layer))
}

export interface Stage {
  readonly vendor: Vendor
  readonly adapter: Adapter
}

/** A vendor, and the adapter to it. */
export const stage = (
  options: Options,
  conduct: Conduct,
  scheme: "http" | "https" = "http",
): Effect.Effect<Stage, never, Platform | Scope.Scope> =>
  Effect.gen(function* () {
    const vendor = yield* startVendor(scheme)
    vendor.conduct(conduct)
    return { vendor, adapter: yield* options.make(vendor.baseUrl) }
  })

/** Compares what is expected of an outcome, and nothing else of it. */
export const assertOutcome = (outcome: GatewayOutcome, expected: Expected): void => {
  const told = Object.entries(expected).filter(([, value]) => value !== undefined)
  assert.deepInclude(outcome, Object.fromEntries(told))
}

/** The engine in memory over an adapter. */
export const engineOver = (gateway: Gateway["Service"]) =>
  Layer.fresh(Engine.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.fresh(MemoryStore.layer),
        Layer.succeed(Gateway, gateway),
        Peppers.layer(TestEngine.pepper),
      ),
    ),
  )

/** Sends a message by way of the engine. */
export const sendOver = (organization: OrganizationId, { channel, text, to }: GatewayMessage) =>
  Messages.use((_) => _.send({ organization, to, channel, text: Redacted.value(text) }))

/** What the log says of the newest message, and what became of the money. */
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
