/**
 * The engine as one layer of the application. What it stands on is the application's: the database's
 * client, the logger, the tracer, the runtime.
 */
import * as HostLimits from "@countersign/core/engine/HostLimits"
import { Senders } from "@countersign/core/services/Senders"
import * as Engine from "@countersign/core/Engine"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { Organizations } from "@countersign/core/services/Organizations"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import * as Pricing from "@countersign/core/decide/Pricing"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ConsoleGateway from "./ConsoleGateway.ts"
import * as Environment from "./Environment.ts"

/** The application is one organization to the engine. */
export const organization = OrganizationId("effect-native")

// A start with another secret than the one before is refused.
const layerCodeSecrets = Layer.unwrap(
  Effect.map(
    Environment.secret("COUNTERSIGN_SECRET", "a secret for development, and for nothing else"),
    (secret) => CodeSecrets.layer(secret),
  ),
)

const layerPolicies = Layer.mergeAll(
  // An application does not charge itself.
  Layer.succeed(Pricing.Pricing, { ...Pricing.standard, price: () => Money.zero }),
  // The application is one organization, and its users must not use up each other's checks.
  HostLimits.layer({ checksPerOrganization: { max: 1_000, per: "1 minute" } }),
)

/** Creates the application's organization and sender if they do not exist. */
const prepare = Effect.gen(function* () {
  const organizations = yield* Organizations
  const senders = yield* Senders
  yield* organizations
    .create({ id: organization })
    .pipe(Effect.catchTag("OrganizationExists", () => Effect.void))
  yield* senders.save({
    organization,
    id: "app",
    kind: "non-masking",
    sender: "8809612000101",
    status: "approved",
    isDefault: true,
  })
})

/** Needs a client of PostgreSQL, and `node:crypto`. */
export const layer = Layer.effectDiscard(prepare).pipe(
  Layer.provideMerge(Engine.layerRunning),
  Layer.provide([PostgresStore.layer(), ConsoleGateway.layer, layerCodeSecrets]),
  Layer.provide(layerPolicies),
)
