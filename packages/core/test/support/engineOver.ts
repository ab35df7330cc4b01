import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as Engine from "../../src/Engine.ts"
import { type Capabilities, Gateway } from "../../src/ports/Gateway.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as CodeSecrets from "../../src/engine/CodeSecrets.ts"
import type { Store } from "../../src/ports/Store.ts"

/** A gateway that delivers everything, except for the given members. */
export const gatewayLayer = ({
  capabilities,
  ...overrides
}: Partial<Omit<Gateway["Service"], "capabilities">> & {
  readonly capabilities?: Partial<Capabilities>
}): Layer.Layer<Gateway> =>
  Layer.succeed(
    Gateway,
    Gateway.of({
      name: "scripted",
      capabilities: {
        tokenMillis: 0,
        lookup: false,
        recipientCheck: false,
        reports: "signed",
        segments: false,
        timeoutMillis: 10_000,
        ...capabilities,
      },
      send: ({ token }) => Effect.succeed({ _tag: "Delivered", gatewayId: `gw-${token}` }),
      isReachable: () => Effect.succeed("yes"),
      lookup: () => Effect.succeed({ _tag: "Unknown", message: "" }),
      reports: Stream.never,
      ...overrides,
    }),
  )

/** The engine over a gateway of one's own. */
export const engineOver = (
  gateway: Layer.Layer<Gateway>,
  engine: Layer.Layer<
    Engine.Engine,
    CodeSecrets.CodeSecretMismatch | StoreUnavailable,
    Engine.Requirements
  > = Engine.layer,
  store: Layer.Layer<Store> = MemoryStore.layer,
) =>
  Layer.fresh(Layer.orDie(engine)).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Layer.fresh(store), gateway, CodeSecrets.layer(TestEngine.codeSecret)),
    ),
    Layer.provideMerge(TestCrypto.layer()),
  )
