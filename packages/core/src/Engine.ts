/** Combines all services of the engine over a store and a gateway. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Attention from "./services/Attention.ts"
import * as Audit from "./services/Audit.ts"
import * as BrowserTokens from "./engine/BrowserTokens.ts"
import * as Access from "./engine/Access.ts"
import * as AdminSessions from "./services/AdminSessions.ts"
import * as AlertChecks from "./jobs/AlertChecks.ts"
import * as Alerts from "./services/Alerts.ts"
import * as Accounts from "./services/Accounts.ts"
import * as ApiKeys from "./services/ApiKeys.ts"
import * as Senders from "./services/Senders.ts"
import * as CodeDelivery from "./delivery/CodeDelivery.ts"
import * as Codes from "./engine/Codes.ts"
import * as Commits from "./engine/Commits.ts"
import * as Dispatcher from "./delivery/Dispatcher.ts"
import * as EventLog from "./services/EventLog.ts"
import * as Events from "./engine/Events.ts"
import * as GatewayWatch from "./engine/GatewayWatch.ts"
import * as Gateways from "./services/Gateways.ts"
import * as Fraud from "./services/Fraud.ts"
import { Gateway } from "./ports/Gateway.ts"
import * as Installation from "./services/Installation.ts"
import * as History from "./services/History.ts"
import * as KeyUses from "./engine/KeyUses.ts"
import * as Messages from "./services/Messages.ts"
import * as Metrics from "./services/Metrics.ts"
import * as Batches from "./services/Batches.ts"
import * as Outbox from "./services/Outbox.ts"
import * as OutboxDelivery from "./jobs/OutboxDelivery.ts"
import * as OptOuts from "./services/OptOuts.ts"
import * as Organizations from "./services/Organizations.ts"
import * as Readiness from "./engine/Readiness.ts"
import { layerRegistered } from "./engine/CodeSecrets.ts"
import * as Privacy from "./services/Privacy.ts"
import * as Refusals from "./engine/Refusals.ts"
import * as Reports from "./services/Reports.ts"
import * as Retention from "./jobs/Retention.ts"
import * as Searches from "./services/Searches.ts"
import * as Settlement from "./jobs/Settlement.ts"
import * as Totals from "./services/Totals.ts"
import * as Verifications from "./services/verifications/Verifications.ts"
import * as WebhookDelivery from "./jobs/WebhookDelivery.ts"
import * as Webhooks from "./services/Webhooks.ts"

/** The services without background work, for tests and hosts that run it in a process of its own. */
export const layer = OutboxDelivery.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Batches.layer, Gateways.layer, Outbox.layer, Searches.layer)),
  Layer.provideMerge(
    Layer.mergeAll(
      Accounts.layer,
      AdminSessions.layer,
      AlertChecks.layer,
      Alerts.layer,
      ApiKeys.layer,
      Attention.layer,
      Audit.layer,
      Senders.layer,
      EventLog.layer,
      Fraud.layer,
      GatewayWatch.layer,
      History.layer,
      Installation.layer,
      Messages.layer,
      Metrics.layer,
      OptOuts.layer,
      Organizations.layer,
      Privacy.layer,
      Retention.layer,
      Settlement.layer,
      Totals.layer,
      Verifications.layer,
      WebhookDelivery.layer,
      Webhooks.layer,
    ),
  ),
  Layer.provideMerge(Reports.layer),
  Layer.provide(CodeDelivery.layer),
  Layer.provideMerge(Refusals.layer),
  Layer.provide([Dispatcher.layer, Codes.layer]),
  Layer.provide(Commits.layer),
  Layer.provideMerge(Access.layer.pipe(Layer.provideMerge(KeyUses.layer))),
  Layer.provideMerge(Layer.mergeAll(BrowserTokens.layer, Events.layer, Readiness.layer)),
)

export type Engine = Layer.Success<typeof layer>

export type Requirements = Layer.Services<typeof layer>

const healthNews = Layer.effectDiscard(
  Effect.gen(function* () {
    const { health = Stream.empty } = yield* Gateway
    const events = yield* Events.Events
    yield* health.pipe(
      Stream.runForEach((changed) =>
        Effect.map(Clock.currentTimeMillis, (at) =>
          events.publishUnsafe([{ _tag: "GatewayHealthChanged", ...changed, at }]),
        ),
      ),
      Effect.forkScoped({ startImmediately: true }),
    )
  }),
)

/** Leaves the first second of a start to the first requests. */
const rounds = Layer.effectDiscard(
  Effect.flatMap(Effect.scope, (scope) =>
    Layer.mergeAll(
      Settlement.layerBackground,
      Retention.layerBackground,
      WebhookDelivery.layerBackground,
      OutboxDelivery.layerBackground,
      GatewayWatch.layerBackground,
      AlertChecks.layerBackground,
    ).pipe(Layer.buildWithScope(scope), Effect.delay("1 second"), Effect.forkScoped),
  ),
)

/** The services, with their background work. Fails if the store is used with other secrets. */
export const layerRunning = Layer.mergeAll(
  KeyUses.layerBackground,
  Refusals.layerBackground,
  Reports.layerBackground,
  rounds,
  healthNews,
).pipe(Layer.provideMerge(layer), Layer.provide(layerRegistered))
