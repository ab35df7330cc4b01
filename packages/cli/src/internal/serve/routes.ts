/** The mounts that the process serves, and their paths. */
import type { dashboard, signInWithPassword } from "@countersign/dashboard"
import {
  ConfigurationError,
  type Countersign,
  type Principal,
  type ServeOptions,
} from "countersign"
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

interface Route {
  readonly basePath: string
  readonly listener: Listener
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

const tokenOf = (request: Request): string =>
  /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? ""

/** The admin API for programs. */
const adminRoute = (
  countersign: Countersign,
  basePath: string,
  { hosts, token }: NonNullable<ServeOptions["admin"]>,
): Route => {
  const digests = (typeof token === "string" ? [token] : token).map(digestOf)
  const { listener } = countersign.admin({
    basePath,
    hosts,
    authorize: (request, _, { clientAddress }): Principal | undefined => {
      const given = digestOf(tokenOf(request))
      return digests.some((digest) => timingSafeEqual(digest, given))
        ? { actor: { id: "admin token", origin: clientAddress }, roles: ["operator"] }
        : undefined
    },
  })
  return { basePath, listener }
}

interface DashboardPackage {
  readonly dashboard: typeof dashboard
  readonly signInWithPassword: typeof signInWithPassword
}

/** The pages and the sign-in of the dashboard. The package throws a `TypeError` for values that it refuses. */
const dashboardParts = (
  made: DashboardPackage,
  { locales, name, password, roles, secret }: NonNullable<ServeOptions["dashboard"]>,
) => {
  try {
    return {
      pages: made.dashboard({ locales, name, signOutUrl: "sign-out" }),
      authorize: made.signInWithPassword({ name, password, roles, secret }),
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ConfigurationError(`dashboard.${error.message}`)
  }
}

const loadDashboard = async ({ dashboard: options }: ServeOptions) =>
  options && { options, parts: dashboardParts(await import("@countersign/dashboard"), options) }

/** Below which path the vendors report. */
const callbacksPath = ({ callbacks }: ServeOptions): string | undefined =>
  callbacks &&
  (callbacks.basePath ?? `${new URL(callbacks.publicUrl).pathname.replace(/\/+$/, "")}/callbacks`)

/** The base paths of the mounts beside the interface. */
const basePathsOf = (options: ServeOptions) => ({
  dashboard: options.dashboard && (options.dashboard.basePath ?? "/dashboard"),
  admin: options.admin && (options.admin.basePath ?? "/admin"),
  callbacks: callbacksPath(options),
})

const isBelow = (url: string, basePath: string): boolean => {
  const base = basePath.replace(/\/+$/, "")
  return url.startsWith(base) && /^(?:$|[/?])/.test(url.slice(base.length))
}

/** Checks the options of the mounts, before anything is started. Throws `ConfigurationError`. */
export const checkRoutes = async (options: ServeOptions): Promise<void> => {
  await loadDashboard(options)
  const paths = Object.values(basePathsOf(options)).filter((path) => path !== undefined)
  const hidden = paths.find((path, index) =>
    paths.some((other, place) => place !== index && isBelow(path, other)),
  )
  if (hidden !== undefined) {
    throw new ConfigurationError(`Two parts are served below ${hidden}: change a basePath`)
  }
}

/** For balancers and for Prometheus, at the root beside the base path of the interface. */
const probes: ReadonlySet<string | undefined> = new Set(["/health", "/ready", "/metrics"])

export const makeListener = async (
  countersign: Countersign,
  options: ServeOptions,
): Promise<RequestListener> => {
  const paths = basePathsOf(options)
  const routes: Array<Route> = []
  const served = await loadDashboard(options)
  if (served !== undefined && paths.dashboard !== undefined) {
    const own = { basePath: paths.dashboard, hosts: served.options.hosts, ...served.parts }
    routes.push({ basePath: paths.dashboard, listener: countersign.admin(own).listener })
  }
  if (options.admin !== undefined && paths.admin !== undefined) {
    routes.push(adminRoute(countersign, paths.admin, options.admin))
  }
  if (paths.callbacks !== undefined) {
    routes.push({ basePath: paths.callbacks, listener: countersign.callbacks.listener })
  }
  return (request, response) => {
    const { url = "/" } = request
    if (probes.has(url.split("?", 1)[0])) {
      return countersign.listener(request, response, { basePath: "" })
    }
    const route = routes.find((one) => isBelow(url, one.basePath))
    return (route ?? countersign).listener(request, response)
  }
}
