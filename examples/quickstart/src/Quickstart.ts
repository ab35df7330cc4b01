/**
 * The whole service, put together: the engine over a database and the simulated
 * gateway, the demonstration data, and the server.
 */
import { DispatchPolicy } from "@countersign/core/delivery/Dispatcher"
import * as Engine from "@countersign/core/Engine"
import * as Fallback from "@countersign/core/engine/SmsFallback"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as RetentionPolicy from "@countersign/core/engine/RetentionPolicy"
import * as TestNumbers from "@countersign/core/engine/TestNumbers"
import * as Inbox from "@countersign/inbox/effect"
import * as Node from "@countersign/node/Node"
import * as WebhookTransport from "@countersign/node/WebhookTransport"
import * as ProofSigner from "@countersign/proofs/ProofSigner"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Activity from "./Activity.ts"
import * as Announcement from "./Announcement.ts"
import * as Database from "./Database.ts"
import * as DataFolder from "./DataFolder.ts"
import * as Demo from "./Demo.ts"
import * as Server from "./Server.ts"
import type { Settings } from "./Settings.ts"

/** A dispatch belongs to its node for this much longer than the gateway may take. */
const leaseMarginMillis = 60_000

/** Nothing is dropped unless `RETENTION_DAYS` says so. */
const retention = ({ retentionDays }: Settings): RetentionPolicy.RetentionPolicy => {
  const kept = retentionDays === undefined ? Duration.infinity : Duration.days(retentionDays)
  return { ...RetentionPolicy.defaults, messages: kept, verifications: kept }
}

interface Secrets {
  readonly secret: Redacted.Redacted
  readonly proofKey: Redacted.Redacted
}

/** The engine and its infrastructure. */
const layer = (settings: Settings, folder: string, { secret, proofKey }: Secrets) => {
  const { production } = settings.testNumbers
  const policies = Layer.mergeAll(
    Layer.succeed(DispatchPolicy, {
      leaseMarginMillis,
      settleMillis: settings.settleAfterSeconds * 1_000,
    }),
    Layer.succeed(RetentionPolicy.RetentionPolicy, retention(settings)),
    TestNumbers.layer(settings.testNumbers),
    settings.fallback === undefined ? Layer.empty : Fallback.layer(settings.fallback),
    // A receiver on the same machine is what a newcomer has.
    WebhookTransport.layer({ allowHttp: !production, allowPrivateAddresses: !production }),
  )
  return Activity.layerEvents.pipe(
    Layer.provideMerge(Engine.layerRunning),
    Layer.provideMerge(
      Layer.mergeAll(
        Database.layer(settings, folder),
        // `Settings` has refused production, unless it is allowed.
        Inbox.layer({
          delivery: settings.delivery,
          timeout: `${settings.gatewayTimeoutMillis} milliseconds`,
          allowInProduction: true,
        }),
        CodeSecrets.layer(secret),
        ProofSigner.layer({ keys: [proofKey] }),
      ),
    ),
    Layer.provideMerge(Node.layerCrypto),
    Layer.provide(policies),
  )
}

const start = Effect.fnUntraced(function* (settings: Settings, folder: DataFolder.DataFolder) {
  const prepared = Demo.prepare({
    balance: settings.demoBalance,
    known: folder.ready?.organizations ?? [],
  })
  // One process at a time has an embedded database open.
  const isEmbedded = settings.databaseUrl === undefined
  const organizations = yield* isEmbedded ? prepared : Database.alone(prepared)
  const dashboardPassword = yield* folder.dashboardPassword
  const origin = yield* Server.serve({ ...settings, dashboardPassword })
  const ready: DataFolder.Ready = {
    baseUrl: `${origin}/api/v2`,
    inboxUrl: `${origin}/inbox`,
    dashboardUrl: `${origin}/dashboard`,
    dashboardPassword: Redacted.value(dashboardPassword),
    organizations,
  }
  yield* folder.writeReady(ready)
  yield* Console.log(
    Announcement.text({
      ...ready,
      readyFile: folder.readyFile,
      dataDir: folder.path,
      database: settings.databaseUrl === undefined ? "embedded" : "server",
    }),
  )
  return yield* Effect.never.pipe(
    Effect.onInterrupt(() => Effect.logInfo("Stopping, once what is under way is done")),
  )
}, Effect.scoped)

/** Runs until it is interrupted, and then until pending requests are done. */
export const run = Effect.fnUntraced(function* (settings: Settings) {
  const folder = yield* DataFolder.open(settings.dataDir)
  yield* Server.check(settings)
  const secret = settings.secret ?? (yield* folder.secret)
  const proofKey = yield* folder.proofKey
  return yield* Effect.provide(
    start(settings, folder),
    layer(settings, folder.path, { secret, proofKey }),
  )
}, Effect.scoped)
