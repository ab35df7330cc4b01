/**
 * The server: the interface of the service, the inbox and the dashboard, on one port.
 */
import { dashboard, signInWithPassword } from "@countersign/dashboard"
import * as Admin from "@countersign/http/admin/Admin"
import * as Inbox from "@countersign/inbox/effect"
import * as Node from "@countersign/node/Node"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as NetAddress from "effect/net/NetAddress"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createServer } from "node:http"
import * as Activity from "./Activity.ts"
import type { Settings } from "./Settings.ts"

/** The address cannot be listened on. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Int,
  /** Node's own code, where it has one. */
  code: Schema.UndefinedOr(Schema.String),
}) {
  override get message(): string {
    switch (this.code) {
      case "EADDRINUSE":
        return `Port ${this.port} is in use by another process. Set PORT to another one, or to 0 for any that is free.`
      case "EACCES":
        return `This user may not listen on port ${this.port}. Set PORT to one above 1023.`
      default:
        return `It is not possible to listen on ${this.host}, which HOST says, and port ${this.port} (${this.code}).`
    }
  }
}

/** What a request may take beyond the gateway's time-out before a stop cuts it off. */
const graceMillis = 5_000

/** The settings that say how to serve. */
interface ServerSettings extends Pick<
  Settings,
  "gatewayTimeoutMillis" | "host" | "port" | "testNumbers" | "trustedProxies"
> {
  readonly dashboardPassword: Redacted.Redacted
}

/** All but the interface of the service. */
const pages = (
  { dashboardPassword, host, testNumbers, trustedProxies }: ServerSettings,
  closing: Latch.Latch,
) =>
  Layer.mergeAll(
    Inbox.layerRoutes({ hosts: [host] }),
    Admin.layerRoutes({
      basePath: "/dashboard",
      closing,
      authorize: signInWithPassword({ password: Redacted.value(dashboardPassword) }),
      pages: dashboard({ signOutUrl: "sign-out" }),
      inboxUrl: "/inbox",
      isProduction: testNumbers.production,
      trustedProxies,
    }),
    HttpRouter.add("GET", "/", HttpServerResponse.redirect("/inbox")),
    HttpRouter.add(
      "*",
      "/*",
      HttpServerResponse.jsonUnsafe({ error: "Not found" }, { status: 404 }),
    ),
  )

/** Fails where the address cannot be listened on: better known before a database is made than after. */
export const check = ({ host, port }: Pick<Settings, "host" | "port">) =>
  Effect.callback<void, CannotListen>((resume) => {
    const probe = createServer()
    probe.once("error", (cause) =>
      resume(Effect.fail(new CannotListen({ host, port, code: codeOf(cause) }))),
    )
    probe.listen(port, host, () => probe.close(() => resume(Effect.void)))
  })

/**
 * Listens, and gives the address to reach it at from this machine, without a
 * path. The end of the scope lets requests that are under way finish.
 */
export const serve = Effect.fnUntraced(function* (settings: ServerSettings) {
  const { gatewayTimeoutMillis, host, port, testNumbers, trustedProxies } = settings
  const closing = yield* Latch.make()
  const router = yield* HttpRouter.toHttpEffect(pages(settings, closing))
  const page = yield* Node.makeListener(Effect.orDie(router))
  // Not behind the router, which has no fast path.
  const service = yield* Activity.logged(yield* Node.make({ trustedProxies }))
  const server = yield* Node.serve(
    (request, response) =>
      request.url?.startsWith("/api/") === true
        ? service(request, response)
        : page(request, response),
    {
      host,
      port,
      readyPath: "/ready",
      shutdownWait: testNumbers.production ? "10 seconds" : undefined,
      shutdownTimeout: `${gatewayTimeoutMillis + graceMillis} milliseconds`,
    },
  ).pipe(
    Effect.catchTag("ServeError", ({ cause }) =>
      Effect.fail(new CannotListen({ host, port, code: codeOf(cause) })),
    ),
  )
  // Runs before the server ends: otherwise an open page would keep it waiting.
  const { close } = yield* Inbox.Inbox
  yield* Effect.addFinalizer(() => Effect.all([close, closing.open]))
  return `http://${reachableHost(host)}:${server.port}`
})

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause ? String(cause.code) : undefined

/** A server that listens on every address is reached at this one. */
const reachableHost = (host: string): string =>
  host === "0.0.0.0" || host === "::" ? "127.0.0.1" : NetAddress.formatUrlHostString(host)
