/** The nodes of a campaign: whole engines on a PostgreSQL server, with their background work. */
import * as Engine from "@countersign/core/Engine"
import { DispatchPolicy } from "@countersign/core/delivery/Dispatcher"
import { defaults, Limits } from "@countersign/core/domain/limits/Limits"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import { defaults as keepAll, RetentionPolicy } from "@countersign/core/engine/RetentionPolicy"
import { Gateway } from "@countersign/core/ports/Gateway"
import { Store } from "@countersign/core/ports/Store"
import * as Node from "@countersign/node/Node"
import * as PostgresPool from "@countersign/postgres/PostgresPool"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { gatewayOf, type VendorPort } from "./Vendor.ts"

export interface NodeOptions {
  readonly url: string
  readonly vendor: VendorPort
  readonly store?: PostgresStore.Options | undefined
  readonly pool?: Omit<PostgresPool.Options, "url"> | undefined
  readonly clock?: Clock.Clock | undefined
  readonly retention?: RetentionPolicy | undefined
  /** Changes the store, such as to end the process at one of its commits. */
  readonly around?: ((store: Store["Service"]) => Store["Service"]) | undefined
}

/** A lease of five seconds and a deadline of a minute. */
const policy = { leaseMarginMillis: 5_000, settleMillis: 60_000 }

/** A second is the most that a campaign waits for a lock. */
const pool = { lockTimeout: "1 second", startTimeout: "30 seconds" } as const

const secret = Redacted.make("a secret for campaigns, and for nothing else")

const dependencies = (given: NodeOptions) => {
  const { around, clock, retention = keepAll, url, vendor, ...options } = given
  const store = PostgresStore.layer(options.store).pipe(
    Layer.provide(PostgresPool.layer({ ...pool, ...options.pool, url: Redacted.make(url) })),
  )
  const wrapped =
    around === undefined
      ? store
      : Layer.effect(Store, Effect.map(Store, around)).pipe(Layer.provide(store))
  return Layer.mergeAll(
    wrapped,
    Layer.succeed(Gateway, gatewayOf(vendor)),
    CodeSecrets.layer(secret),
    Layer.succeed(DispatchPolicy, policy),
    Layer.succeed(RetentionPolicy, retention),
    Layer.succeed(Limits, { ...defaults, checksPerOrganization: undefined }),
  ).pipe(
    Layer.provideMerge(Node.layerCrypto),
    Layer.provideMerge(Logger.layer([])),
    Layer.provideMerge(clock === undefined ? Layer.empty : Layer.succeed(Clock.Clock, clock)),
  )
}

/** Builds a node. It ends with the scope. */
export const makeNode = (options: NodeOptions) =>
  Layer.build(Layer.fresh(Engine.layerRunning.pipe(Layer.provideMerge(dependencies(options)))))

/** A node without background work, whose time is ahead: what is open is due there. */
export const makeSweeper = ({
  aheadMillis,
  ...options
}: NodeOptions & { readonly aheadMillis: () => number }) =>
  Layer.build(
    Layer.fresh(
      Engine.layer.pipe(
        Layer.provideMerge(
          dependencies({
            ...options,
            store: { ...options.store, clock: Effect.sync(() => Date.now() + aheadMillis()) },
          }),
        ),
      ),
    ),
  )
