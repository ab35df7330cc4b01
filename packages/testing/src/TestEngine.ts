/**
 * The whole engine in memory, for the tests of its host. Nothing leaves the process, nothing waits for real
 * time, and tests can read the codes that users would receive.
 */
import type { Access } from "@countersign/core/engine/Access"
import { Accounts } from "@countersign/core/services/Accounts"
import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Senders } from "@countersign/core/services/Senders"
import * as Engine from "@countersign/core/Engine"
import type { Gateway } from "@countersign/core/ports/Gateway"
import { type ApiKeyId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import type { Store } from "@countersign/core/ports/Store"
import type { Aead } from "effect/crypto/Aead"
import type { Digest } from "effect/crypto/Digest"
import type { Mac } from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestCrypto from "./TestCrypto.ts"

export interface Options<E = never> {
  /** The store of the engine. @defaultValue the memory store */
  readonly store?: Layer.Layer<Store, E> | undefined
  /** Behaviour of the simulated gateway. @defaultValue it delivers every message */
  readonly gateway?: SimulatedGateway.Options | undefined
  /** The current secret, followed by the retiring ones. @defaultValue {@link codeSecret} */
  readonly codeSecrets?:
    | readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
    | undefined
  /** Determines every code, id and key. @defaultValue 1 */
  readonly seed?: number | undefined
  /**
   * Whether settlement, retention and the reading of reports run in the background. With `false`, nothing
   * happens between calls.
   * @defaultValue `false`
   */
  readonly running?: boolean | undefined
}

/** The engine and its dependencies. */
export type TestEngine =
  | Engine.Engine
  | Access
  | Store
  | Gateway
  | SimulatedGateway.SimulatedGateway
  | CodeSecrets.CodeSecrets
  | Aead
  | Digest
  | Mac
  | SecureRandom

/** The secret of every test engine. */
export const codeSecret: Redacted.Redacted = Redacted.make(
  "a secret for tests, long enough and known to all",
)

/** Makes a new engine per build of the layer. */
export const layer = <E = never>(options: Options<E> = {}): Layer.Layer<TestEngine, E> => {
  const store: Layer.Layer<Store, E> = options.store ?? Layer.fresh(MemoryStore.layer)
  const [current, ...retiring] = options.codeSecrets ?? [codeSecret]
  const engine = options.running === true ? Layer.orDie(Engine.layerRunning) : Engine.layer
  return Layer.fresh(engine).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        store,
        SimulatedGateway.layer(options.gateway),
        CodeSecrets.layer(current, ...retiring),
      ),
    ),
    Layer.provideMerge(TestCrypto.layer(options.seed)),
  )
}

export interface OpenOptions {
  /** Id of the organization. @defaultValue `acme` */
  readonly id?: string | undefined
  /** Opening balance. @defaultValue 100 */
  readonly balance?: Money.Money | undefined
}

/** An organization that can send, and an API key for it. */
export interface Opened {
  readonly organization: OrganizationId
  readonly keyId: ApiKeyId
  readonly key: Redacted.Redacted<string>
}

/** Makes an organization with a balance, a default sender for both channels, and an API key. */
export const open: (
  options?: OpenOptions,
) => Effect.Effect<Opened, never, Organizations | Senders | Accounts | ApiKeys> = Effect.fnUntraced(
  function* (options: OpenOptions = {}) {
    const organization = OrganizationId(options.id ?? "acme")
    const amount = options.balance ?? Money.make("100")
    const organizations = yield* Organizations
    yield* organizations.create({ id: organization })
    const senders = yield* Senders
    const approved = { organization, status: "approved", isDefault: true } as const
    yield* senders.save({ ...approved, id: "line", kind: "non-masking", sender: "8809600000000" })
    yield* senders.save({ ...approved, id: "profile", kind: "whatsapp", sender: "profile" })
    const accounts = yield* Accounts
    if (amount > 0) yield* accounts.topUp({ organization, amount, note: "test" })
    const keys = yield* ApiKeys
    const { id: keyId, key } = yield* keys.create({ organization, name: "test" })
    return { organization, keyId, key }
  },
  Effect.orDie,
)

/** Returns the code in the newest text to a phone number. Dies if no text was sent. */
export const latestCode = Effect.fnUntraced(function* (
  number: string,
): Effect.fn.Return<string, never, SimulatedGateway.SimulatedGateway> {
  const gateway = yield* SimulatedGateway.SimulatedGateway
  for (const { text } of yield* gateway.journal(number)) {
    const code = /(?<!\d)\d{4,10}(?!\d)/.exec(text)?.[0]
    if (code !== undefined) return code
  }
  return yield* Effect.die(new Error(`No code has reached ${number}`))
})
