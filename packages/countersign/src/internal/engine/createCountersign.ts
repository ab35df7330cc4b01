import * as Call from "@countersign/core/engine/Call"
import * as Drain from "@countersign/core/engine/Drain"
import * as Engine from "@countersign/core/Engine"
import { Events } from "@countersign/core/engine/Events"
import { Readiness } from "@countersign/core/engine/Readiness"
import { Installation } from "@countersign/core/services/Installation"
import { Metrics } from "@countersign/core/services/Metrics"
import * as Http from "@countersign/http/tenant/TenantHttp"
import * as AdmissionGate from "@countersign/http/mount/AdmissionGate"
import type * as WebHandler from "@countersign/http/mount/WebHandler"
import * as Mount from "@countersign/node/Mount"
import * as Node from "@countersign/node/Node"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Callbacks from "./callbacks.ts"
import type { Countersign, HttpServer } from "../types/countersign.ts"
import { developmentGateway } from "../gateways/developmentGateway.ts"
import { ConfigurationError, DisposedError } from "../errors/errors.ts"
import { lazyMount } from "./lazyMount.ts"
import type { LoginOf } from "./loginKey.ts"
import * as Services from "../services/facade.ts"
import type { GatewayList } from "../types/gateways.ts"
import * as GatewayRegistry from "../gateways/gatewayRegistry.ts"
import { codeSecrets } from "../options/secrets.ts"
import * as Database from "../options/database.ts"
import { layerLog, type Log, logOf, notice } from "./log.ts"
import { isProduction } from "../options/check.ts"
import {
  callbacksOf,
  clockOf,
  httpOf,
  policies,
  tracingOf,
  webhooksOf,
} from "../options/options.ts"
import { checkAdminOptions, checkLoginOptions, checkOptions } from "../options/shape.ts"
import * as Proofs from "../options/proofs.ts"
import type { CountersignOptions, DatabaseOptions } from "../types/options.ts"
import { eventOf } from "@countersign/core/api/events"
import { checkGateways, planOf } from "../gateways/plan.ts"
import { prepare } from "./prepare.ts"
import * as Shutdown from "./shutdown.ts"
import { layerTracing } from "./tracing.ts"
import { startErrorOf } from "../errors/startError.ts"
import { runner } from "../errors/run.ts"
import { translate } from "../errors/translation.ts"

const gatewaysOf = (options: CountersignOptions, log: Log): GatewayList => {
  const { gateways } = options
  if (gateways !== undefined) {
    checkGateways(gateways)
    if ("length" in gateways || gateways.sms || gateways.whatsapp) return gateways
  }
  if (isProduction(options)) {
    throw new ConfigurationError(
      "gateways: name one. Without any, messages are only printed, which is for development.",
    )
  }
  log(notice("info", "no gateway is named, so messages are printed here and sent nowhere."))
  const gateway = developmentGateway(({ channel, text, phoneNumber }) =>
    log(notice("info", `${channel} to ${phoneNumber}: ${text}`)),
  )
  return { sms: gateway, whatsapp: gateway }
}

const build = async <A, E>(
  layer: Layer.Layer<A, E>,
  scope: Scope.Closeable,
  place?: Database.Place,
): Promise<Context.Context<A>> => {
  const exit = await Effect.runPromiseExit(Layer.buildWithScope(layer, scope))
  if (Exit.isSuccess(exit)) return exit.value
  await Effect.runPromise(Scope.close(scope, Exit.void))
  const error = Cause.squash(exit.cause)
  if (error instanceof ConfigurationError) throw error
  throw startErrorOf(exit.cause, place)
}

/** An application over the engine, and its answer to requests that the gate refuses. */
interface Application {
  readonly handler: WebHandler.Handler
  readonly refusal?: AdmissionGate.DrainOptions["refusal"]
}

type MakeApplication = () => Promise<Effect.Effect<Application, never, Engine.Engine | Scope.Scope>>

/** Starts an engine. Rejects with `ConfigurationError` or `StartError`. */
export const createCountersign = <const Name extends string = string>(
  options: CountersignOptions<Name> = {},
): Promise<Countersign> => start(options)

/** Makes the parts of an engine from the options, before a start connects to anything. Throws `ConfigurationError`. */
const planned = (options: CountersignOptions) => {
  requireNode(process.versions.node)
  Database.refuseBarePool(options)
  checkOptions(options)
  // First, because all others may be right.
  Database.checkPlace(options)
  const log = logOf(options)
  const clock = clockOf(options)
  const http = httpOf(options)
  const place = Database.placeOf(options)
  const secrets = codeSecrets(options, place)
  const provided = policies(options)
  const callbacks = callbacksOf(options)
  const registry = GatewayRegistry.layer(planOf(gatewaysOf(options, log), options), options).pipe(
    Layer.provideMerge(layerLog(log, options.logging)),
  )
  const engine = Engine.layerRunning.pipe(
    Layer.provide([provided, webhooksOf(options)]),
    Layer.provide(Database.layer(options)),
  )
  return { callbacks, clock, engine, http, log, place, registry, secrets }
}

/** Checks the options as a start does. Connects to no database and to no gateway. */
export const checkCountersign = async (options: CountersignOptions): Promise<void> => {
  planned(options)
  const scope = Scope.makeUnsafe()
  await build(Proofs.layer(options).pipe(Layer.provide(Node.layerCrypto)), scope)
  await Effect.runPromise(Scope.close(scope, Exit.void))
}

const start = async (options: CountersignOptions): Promise<Countersign> => {
  const { callbacks, clock, engine, http, log, place, registry, secrets } = planned(options)
  if (place.kind === "folder") {
    const kept = options.secret === undefined ? "the data and a secret are" : "the data is"
    const why = place.isDefault ? "no database is named, so " : ""
    log(notice("info", `${why}${kept} kept in the folder ${place.folder}.`))
  }
  const api = tracingOf(options)
  const tracing = api === undefined ? Layer.empty : layerTracing(api)
  const time = clock === undefined ? Layer.empty : Layer.succeed(Clock.Clock, clock)
  const scope = Scope.makeUnsafe()
  // First, because problems of gateways and secrets can be found without a database.
  const gateways = await build(
    Layer.merge(registry, secrets).pipe(
      // Before the others, which may create a folder.
      Layer.provideMerge(Proofs.layer(options)),
      Layer.provideMerge(Node.layerCrypto),
      Layer.provideMerge(time),
      // Several engines of a process do not count for each other.
      Layer.provideMerge(Layer.succeed(Metric.MetricRegistry, new Map())),
      Layer.provideMerge(tracing),
    ),
    scope,
  )
  const context = await build(
    Layer.effectDiscard(prepare(options)).pipe(
      Layer.provideMerge(engine),
      Layer.provideMerge(Layer.succeedContext(gateways)),
    ),
    scope,
    place,
  )
  const { shutdownTimeout } = options
  const callScope = Scope.makeUnsafe()
  const calls = await Effect.runPromise(
    Drain.make(AdmissionGate.graceMillis(options)).pipe(Scope.provide(callScope)),
  )
  const run = runner(
    (effect) => new Promise((resolve) => void Call.begin(calls.run(effect), context, resolve)),
    () => disposing !== undefined,
  )
  // `fetch` and `listener` share one admission gate.
  const shared = { ...http, shutdownTimeout, gate: AdmissionGate.makeAdmissionGate(http) }
  const { fetch, handle, ...web } = Http.toWebHandler(Layer.succeedContext(context), shared)
  const { listener, ...node } = Node.toNodeHandler(Layer.succeedContext(context), shared)
  const callbackScope = Scope.makeUnsafe()
  const mountScope = Scope.makeUnsafe()
  const closing = Latch.makeUnsafe()
  const endStreams = () => void closing.openUnsafe()
  let disposing: Promise<void> | undefined
  const end = async (): Promise<void> => {
    endStreams()
    const ways = [callScope, callbackScope, mountScope]
    await Promise.all([
      web.dispose(),
      node.dispose(),
      ...ways.map((way) => Effect.runPromise(Scope.close(way, Exit.void))),
    ])
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  const ending = Latch.makeUnsafe()
  const readiness = Context.get(context, Readiness)
  const dispose = () => {
    readiness.drainUnsafe()
    ending.openUnsafe()
    return (disposing ??= end())
  }
  let stopping: Promise<void> | undefined
  const stop = async (server: HttpServer | undefined, waitMillis: number): Promise<void> => {
    if (server !== undefined) Shutdown.endConnections(server)
    await Shutdown.wait(waitMillis, ending)
    endStreams()
    if (server !== undefined) await Shutdown.close(server, AdmissionGate.graceMillis(options))
    await dispose()
  }
  const reported = await Effect.runPromise(
    Callbacks.make({ callbacks, shutdownTimeout }).pipe(
      Scope.provide(callbackScope),
      Effect.provideContext(context),
    ),
  ).catch((error: unknown) => dispose().then(() => Promise.reject(error)))
  const refuseDisposed = (): void => {
    if (disposing !== undefined) throw new DisposedError({ status: "refused" })
  }
  /** A mount that its first request makes. */
  const mount = (route: "admin" | "login", make: MakeApplication) =>
    lazyMount(
      async () =>
        Effect.flatMap(await make(), ({ handler, refusal }) =>
          Mount.make(handler, { shutdownTimeout, refusal, route }),
        ).pipe(Scope.provide(mountScope), Effect.provideContext(context), Effect.runPromise),
      dispose,
      (error) =>
        log(
          notice(
            "error",
            `${mountNames[route]} cannot start: ${startErrorOf(Cause.fail(error)).message}`,
          ),
        ),
    )
  const login: LoginOf = (organization) => (input, make) => {
    refuseDisposed()
    checkLoginOptions(input)
    const settings = {
      isProduction: isProduction(options),
      trustedProxies: http.trustedProxies,
      ...input,
      organization: Result.getOrThrowWith(organization, translate),
    }
    return mount("login", async () => make(settings))
  }
  const hasDefault = options.defaultOrganization ?? true
  const services = Services.make(context, hasDefault, login)
  return {
    ...services(run),
    as: (actor) => services(Services.runAs(run, actor)),
    fetch,
    handle,
    listener,
    callbacks: { ...reported, dispose },
    admin: (input) => {
      refuseDisposed()
      checkAdminOptions(input)
      // Its schemas are large, and few processes get requests for them.
      const make = async () => {
        const Admin = await import("@countersign/http/admin/Admin")
        const made = Admin.make({
          isProduction: isProduction(options),
          trustedProxies: http.trustedProxies,
          ...input,
          closing,
        })
        return Effect.map(made, (handler) => ({ handler }))
      }
      return { ...mount("admin", make), endStreams }
    },
    gateways: {
      list: () => run(Context.get(context, Installation).gateways),
      health: () => run(Context.get(context, GatewayRegistry.GatewayRegistry).health),
      subscribe: (hear) =>
        listen(context, Context.get(context, GatewayRegistry.GatewayRegistry).changes, hear),
    },
    subscribe: (hear) =>
      listen(context, Context.get(context, Events).stream, (event) => hear(eventOf(event))),
    endStreams,
    isReady: () => stopping === undefined && disposing === undefined,
    health: async () => {
      const reason = await Effect.runPromise(readiness.unready)
      return reason === undefined ? { isReady: true } : { isReady: false, reason }
    },
    metrics: () => run(Context.get(context, Metrics).text),
    shutdown: (input = {}) => {
      const { server, waitMillis } = Shutdown.inputOf(input, isProduction(options))
      readiness.drainUnsafe()
      return (stopping ??= stop(server, waitMillis))
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

const mountNames = { admin: "the admin API", login: "the login" }

/**
 * Checks the Node version that `engines` requires, because npm only warns about it. Without the check, the import of
 * a missing module would fail with the name of that module.
 */
const requireNode = (version: string): void => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (major > 22 || (major === 22 && minor >= 13)) return
  throw new ConfigurationError(`Node 22.13 or newer is needed, and this is ${version}`)
}

const listen = <A>(
  context: Context.Context<never>,
  stream: Stream.Stream<A>,
  hear: (value: A) => void,
): (() => void) => {
  const heard = Stream.runForEach(stream, (value) =>
    Effect.catchDefect(
      Effect.sync(() => hear(value)),
      () => Effect.logError("A listener to events has thrown"),
    ),
  )
  return Effect.runCallbackWith(context)(heard)
}

/** Brings the tables up to date, for hosts that start their nodes with `migrate: false`. */
export const migrateCountersign = async (options: {
  readonly database: DatabaseOptions
}): Promise<void> => {
  Database.refuseBarePool(options)
  checkOptions(options)
  const scope = Scope.makeUnsafe()
  const store = Database.layer(options, { isMigration: true }).pipe(
    Layer.provide(Node.layerCrypto),
    Layer.provide(layerLog(logOf({}))),
  )
  await build(store, scope, Database.placeOf(options))
  await Effect.runPromise(Scope.close(scope, Exit.void))
}
