/**
 * The engine, put together for a host that does not write Effect.
 */
import { Brands } from "@countersign/core/Brands"
import * as Engine from "@countersign/core/Engine"
import { Events } from "@countersign/core/Events"
import { OrganizationId } from "@countersign/core/Ids"
import { Organizations } from "@countersign/core/Organizations"
import * as Http from "@countersign/http/Http"
import * as Node from "@countersign/node/Node"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Countersign } from "./countersign.ts"
import * as Database from "./database.ts"
import { developmentGateway } from "./developmentGateway.ts"
import { ConfigurationError, StartError } from "./errors.ts"
import * as Facade from "./facade.ts"
import * as HostGateway from "./gateways.ts"
import type { Gateways } from "./gatewayTypes.ts"
import { httpOf, policies } from "./options.ts"
import type { CountersignOptions, DatabaseOptions } from "./optionTypes.ts"
import { eventOf } from "./plain.ts"
import { runner } from "./translate.ts"
import type { Channel, Event } from "./types.ts"

type Log = NonNullable<CountersignOptions["log"]>

const toConsole: Log = (level, text) => {
  Effect.runSync(
    level === "info"
      ? Console.log(text)
      : level === "warn"
        ? Console.warn(text)
        : Console.error(text),
  )
}

/** The engine's own lines, as far as somebody has to know of them. */
const layerLog = (log: Log) =>
  Logger.layer([
    Logger.make(({ cause, logLevel, message }) => {
      const level = logLevel === "Warn" ? "warn" : "error"
      if (logLevel !== "Warn" && logLevel !== "Error" && logLevel !== "Fatal") return
      const words = (Array.isArray(message) ? message : [message]).map((part: unknown) =>
        typeof part === "string" ? part : JSON.stringify(part),
      )
      const why = cause.reasons.length === 0 ? "" : ` ${Cause.pretty(cause)}`
      log(level, `Countersign: ${words.join(" ")}${why}`)
    }),
  ])

const printed: readonly [Channel, Channel] = ["sms", "whatsapp"]

/** What messages are printed by where no gateway is named. */
const printing = (log: Log): Gateways => {
  const gateway = developmentGateway(({ channel, text, to }) =>
    log("info", `Countersign: ${channel} to ${to}: ${text}`),
  )
  return Object.fromEntries(printed.map((channel) => [channel, gateway]))
}

const gatewaysOf = ({ gateways }: CountersignOptions, log: Log): Gateways => {
  if (gateways?.sms !== undefined || gateways?.whatsapp !== undefined) return gateways
  if (process.env["NODE_ENV"] === "production") {
    throw new ConfigurationError(
      "gateways: name one. Without any, messages are only printed, which is for development.",
    )
  }
  log("info", "Countersign: no gateway is named, so messages are printed here and sent nowhere.")
  return printing(log)
}

/** What the organization sends from where a request does not say. */
const defaultSender = "default"

/** Makes the organization of hosts that have one, with a sender for each channel; what is there stays. */
const prepare = Effect.fnUntraced(function* ({
  limits: ownLimits = {},
  senders = {},
}: CountersignOptions) {
  const organization = OrganizationId(Facade.defaultOrganization)
  const organizations = yield* Organizations
  const brands = yield* Brands
  const limits =
    ownLimits.checksPerOrganization === undefined ? { checksPerOrganization: null } : {}
  yield* organizations
    .create({ id: organization, settings: { limits } })
    .pipe(Effect.catchTag("OrganizationExists", () => Effect.void))
  const known = yield* brands.list(organization)
  for (const [channel, kind] of [
    ["sms", "non-masking"],
    ["whatsapp", "whatsapp"],
  ] as const) {
    const sender = senders[channel] ?? defaultSender
    const own = known.find(({ id }) => id === channel)
    if (own === undefined || (senders[channel] !== undefined && own.sender !== sender)) {
      yield* brands.save({
        organization,
        id: channel,
        kind,
        sender,
        status: "approved",
        isDefault: own?.isDefault ?? !known.some((one) => one.kind === kind && one.isDefault),
      })
    }
  }
})

/** Why it could not be started, without the address of the database, which has a password in it. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  const said = inner?.message ?? (error instanceof Error ? error.message : "")
  return said === "" ? "The engine could not be started" : said
}

const build = async <A, E>(
  layer: Layer.Layer<A, E>,
  scope: Scope.Closeable,
): Promise<Context.Context<A>> => {
  const exit = await Effect.runPromiseExit(Layer.buildWithScope(layer, scope))
  if (Exit.isSuccess(exit)) return exit.value
  await Effect.runPromise(Scope.close(scope, Exit.void))
  throw new StartError(reasonOf(exit.cause), { cause: Cause.squash(exit.cause) })
}

/**
 * Starts an engine, and brings its tables up to date unless `migrate` is false. Rejects with
 * `ConfigurationError` or `StartError`.
 */
export const createCountersign = async (options: CountersignOptions): Promise<Countersign> => {
  requireNode(process.versions.node)
  const log = options.log ?? toConsole
  const http = httpOf(options)
  const engine = Engine.layerRunning.pipe(
    Layer.provide(policies(options)),
    Layer.provide(HostGateway.layer(gatewaysOf(options, log))),
    Layer.provide(Database.layer(options)),
    Layer.provide(Node.layerCrypto),
  )
  const prepared = Layer.effectDiscard(prepare(options)).pipe(
    Layer.provideMerge(engine),
    Layer.provideMerge(layerLog(log)),
  )
  if (options.database === undefined) {
    const folder = options.dataDir ?? Database.defaultFolder
    log("info", `Countersign: no database is named, so the data is kept in the folder ${folder}.`)
  }
  const scope = Scope.makeUnsafe()
  const context = await build(prepared, scope)
  const run = runner(
    (effect) => Effect.runPromiseExitWith(context)(effect),
    () => disposing !== undefined,
  )
  // One door for both ways in.
  const shared = { ...http, door: Http.doorFor(http) }
  const { fetch, handle, ...web } = Http.toWebHandler(Layer.succeedContext(context), shared)
  const { listener, ...node } = Node.toNodeHandler(Layer.succeedContext(context), shared)
  let disposing: Promise<void> | undefined
  const dispose = (): Promise<void> =>
    (disposing ??= Promise.all([web.dispose(), node.dispose()]).then(() =>
      Effect.runPromise(Scope.close(scope, Exit.void)),
    ))
  return {
    ...Facade.make(run, context),
    fetch,
    handle,
    listener,
    subscribe: (hear) => subscribe(context, hear),
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

/** What `engines` asks for; npm only warns of it, and what is missing would be named by its module. */
const requireNode = (version: string): void => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (major > 22 || (major === 22 && minor >= 13)) return
  throw new ConfigurationError(`Node 22.13 or newer is needed, and this is ${version}`)
}

const subscribe = (
  context: Context.Context<Engine.Engine>,
  hear: (event: Event) => void,
): (() => void) => {
  const heard = Stream.runForEach(Context.get(context, Events).stream, (event) =>
    Effect.catchDefect(
      Effect.sync(() => hear(eventOf(event))),
      () => Effect.logError("A listener to events has thrown"),
    ),
  )
  return Effect.runCallbackWith(context)(heard)
}

/** Brings the tables up to date, for hosts that do so before they start their nodes with `migrate: false`. */
export const migrateCountersign = async (options: DatabaseOptions): Promise<void> => {
  const scope = Scope.makeUnsafe()
  const migrations = Database.migrations(options).pipe(
    Layer.provide(Node.layerCrypto),
    Layer.provide(layerLog(toConsole)),
  )
  await build(migrations, scope)
  await Effect.runPromise(Scope.close(scope, Exit.void))
}
