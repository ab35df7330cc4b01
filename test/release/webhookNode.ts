/**
 * A node that delivers webhooks, and kills itself with SIGKILL at one of its commits: `webhookNode.ts DATABASE ID
 * COMMAND COUNT WHEN`.
 */
import { WebhookId } from "@countersign/core/domain/values/Ids"
import { Store } from "@countersign/core/ports/Store"
import { WebhookDelivery } from "@countersign/core/jobs/WebhookDelivery"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { engine, organization } from "../support/webhooks.ts"

const [, , database = "", id = "", tag, count, when] = process.argv
let left = Number(count)

/** Ends the process before its next instruction. */
const die = Effect.sync((): void => {
  process.kill(process.pid, "SIGKILL")
  // The signal comes from outside.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})

const dying = Layer.effect(
  Store,
  Effect.map(Store, (store) =>
    Store.of({
      ...store,
      execute: (command) =>
        Effect.suspend(() => {
          const executed = store.execute(command)
          if (command._tag !== tag || --left > 0) return executed
          return when === "before" ? Effect.andThen(die, executed) : Effect.tap(executed, () => die)
        }),
    }),
  ),
).pipe(
  Layer.provide(PostgresStore.layer()),
  Layer.provide(PostgresClient.layer({ url: Redacted.make(database) })),
  Layer.provide(SecureRandom.layerWebCrypto),
)

const program = WebhookDelivery.use(({ deliver }) =>
  Effect.forever(deliver({ organization, id: WebhookId(id) })),
)

// A killed process does not get here.
process.on("exit", () => console.log("not killed"))
await Effect.runPromise(Effect.provide(program, engine({ store: dying, seed: 3 })))
