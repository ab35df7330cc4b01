/**
 * One node of the engine on its own server: PostgreSQL or the memory store, and a gateway that delivers
 * at once.
 */
import * as Accounts from "@countersign/core/services/Accounts"
import * as ApiKey from "@countersign/core/domain/access/ApiKey"
import * as Engine from "@countersign/core/Engine"
import { Gateway } from "@countersign/core/ports/Gateway"
import { SenderId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as Money from "@countersign/core/domain/values/Money"
import { defaultSettings } from "@countersign/core/domain/organizations/Organization"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as RetentionPolicy from "@countersign/core/engine/RetentionPolicy"
import { Store } from "@countersign/core/ports/Store"
import * as Telemetry from "@countersign/core/engine/Telemetry"
import * as Node from "@countersign/node/Node"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { hash, randomBytes } from "node:crypto"
import { options, ready, SentCodes } from "./serve.ts"

const { databaseUrl, limits, organizations = 1, share } = options()

const sent = new SentCodes()

/** Delivers at once, sends no reports, and looks messages up by their token. */
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
  send: ({ purpose, text, phoneNumber, token }) =>
    Effect.sync(() => {
      if (purpose === "verification") sent.remember(phoneNumber, Redacted.value(text).slice(0, 6))
      return { _tag: "Delivered", gatewayId: `instant_${token}` }
    }),
  isReachable: () => Effect.succeed("unknown"),
  lookup: ({ token }) => Effect.succeed({ _tag: "Delivered", gatewayId: `instant_${token}` }),
  reports: Stream.never,
})

const layerStore =
  databaseUrl === undefined
    ? MemoryStore.layer
    : PostgresStore.layer().pipe(
        Layer.provide(PostgresClient.layer({ url: Redacted.make(databaseUrl) })),
      )

/** Number of days to keep rows; without limit by default. */
const retentionDays = Number(process.env["RETENTION_DAYS"] ?? Number.POSITIVE_INFINITY)
const kept = Duration.days(retentionDays)
const retention = { ...RetentionPolicy.defaults, messages: kept, verifications: kept }

const engine = Engine.layerRunning.pipe(
  Layer.provide(Layer.succeed(RetentionPolicy.RetentionPolicy, retention)),
  Layer.provideMerge(layerStore),
  Layer.provide(Layer.succeed(Gateway, gateway)),
  Layer.provide(CodeSecrets.layer(Redacted.make("b".repeat(32)))),
  Layer.provideMerge(Node.layerCrypto),
)

/**
 * High limits that no load reaches, instead of no limits, so that reading and writing the windows is part of
 * the measurement: 1,000 sends to one number a minute, and 1,000 checks of an organization in 10 ms. The same
 * as in `handWritten.ts`.
 */
const raised = {
  sendsPerNumber: { max: 1_000, windowMillis: 60_000 },
  checksPerOrganization: { max: 1_000, windowMillis: 10 },
  pendingPerNumber: 1_000,
}

const newKey = () => {
  const key = ApiKey.encode("test", randomBytes(ApiKey.randomBytes))
  if (key === undefined) throw new Error("No key could be drawn")
  return key
}

/** Creates an organization with its sender and its key in one transaction, so that a thousand take seconds. */
const createOrganization = Effect.fnUntraced(function* (index: number) {
  const id = OrganizationId(`bench-${index}`)
  const key = newKey()
  yield* (yield* Store).createOrganization({
    id,
    name: id,
    settings: limits === false ? defaultSettings : { ...defaultSettings, limits: raised },
    senders: [
      {
        id: SenderId(`brd_${index}`),
        kind: "non-masking",
        sender: "8809612000000",
        status: "approved",
        isDefault: true,
        class: null,
        reason: null,
      },
    ],
    keys: [
      {
        id: key.id,
        name: "bench",
        environment: "test",
        secretHash: hash("sha256", key.secret, "buffer"),
        createdAt: Date.now(),
        createdBy: "host",
        expiresAt: null,
        revokedAt: null,
        scopes: null,
        lastUsedAt: null,
      },
    ],
    webhooks: [],
  })
  yield* (yield* Accounts.Accounts).topUp({
    organization: id,
    amount: Money.make("10000000"),
  })
  return key.text
})

const main = Effect.gen(function* () {
  const keys =
    share ??
    (yield* Effect.forEach(Array.from({ length: organizations }).keys(), createOrganization, {
      concurrency: 64,
    }))
  const { origin } = yield* Node.NodeServer
  const context = yield* Effect.context<never>()
  ready({
    origin,
    keys,
    answers: {
      codes: () => sent.take(),
      batches: () => {
        const { count, sum } = Effect.runSyncWith(context)(Metric.value(Telemetry.batchSize))
        return { count, sum }
      },
    },
  })
  return yield* Effect.never
})

Effect.runFork(
  main.pipe(
    Effect.provide(
      Node.layerServer({ port: 0, documentation: false }).pipe(Layer.provideMerge(engine)),
    ),
    Effect.provideService(References.MinimumLogLevel, "Warn"),
    Effect.tapCause((cause) =>
      Effect.sync(() => {
        console.error(String(cause))
        process.exit(1)
      }),
    ),
  ),
)
