import * as Accounts from "@countersign/core/services/Accounts"
import * as Senders from "@countersign/core/services/Senders"
import * as Engine from "@countersign/core/Engine"
import { Gateway } from "@countersign/core/ports/Gateway"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as Money from "@countersign/core/domain/values/Money"
import * as Organizations from "@countersign/core/services/Organizations"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Node from "@countersign/node/Node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { numberOf, phones, type Side } from "./side.ts"

const limits = {
  sendsPerNumber: null,
  checksPerOrganization: null,
  pendingPerNumber: 1_000,
}

export const engineSide = async (): Promise<Side> => {
  const { remember, takeCode } = phones()
  const gateway = Gateway.of({
    name: "instant",
    capabilities: {
      tokenMillis: 0,
      lookup: true,
      lookupByToken: true,
      recipientCheck: false,
      reports: "none",
      segments: false,
      timeoutMillis: 10_000,
    },
    send: ({ text, phoneNumber }) =>
      Effect.sync(() => {
        remember(phoneNumber, Redacted.value(text))
        return { _tag: "Delivered", gatewayId: `instant_${phoneNumber}` }
      }),
    isReachable: () => Effect.succeed("unknown"),
    lookup: ({ phoneNumber }) =>
      Effect.succeed({ _tag: "Delivered", gatewayId: `instant_${phoneNumber}` }),
    reports: Stream.never,
  })
  const runtime = ManagedRuntime.make(
    Engine.layer.pipe(
      Layer.provideMerge(MemoryStore.layer),
      Layer.provide(Layer.succeed(Gateway, gateway)),
      Layer.provide(CodeSecrets.layer(Redacted.make("b".repeat(32)))),
      Layer.provideMerge(Node.layerCrypto),
    ),
  )
  const prepared = Effect.gen(function* () {
    const organizations = yield* Organizations.Organizations
    const { id: organization } = yield* organizations.create({ id: "bench", limits })
    yield* (yield* Senders.Senders).save({
      organization,
      kind: "non-masking",
      sender: "8809612000000",
      status: "approved",
      isDefault: true,
    })
    yield* (yield* Accounts.Accounts).topUp({ organization, amount: Money.make("10000000") })
    return { organization, verifications: yield* Verifications }
  })
  const { organization, verifications } = await runtime.runPromise(prepared)
  return {
    send: (ranks, concurrency) =>
      runtime.runPromise(
        Effect.forEach(
          ranks,
          (rank) =>
            Effect.map(
              verifications.send({ organization, phoneNumber: numberOf(rank) }),
              ({ requestId, phoneNumber }) => [requestId, takeCode(phoneNumber)] as const,
            ),
          { concurrency },
        ),
      ),
    check: (codes, concurrency) =>
      runtime.runPromise(
        Effect.forEach(
          codes,
          ([requestId, code]) =>
            verifications.check({ organization, requestId, code: Redacted.make(code) }),
          { concurrency, discard: true },
        ),
      ),
  }
}
