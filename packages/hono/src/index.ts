/**
 * Countersign on Hono, below any path.
 *
 * @example
 * ```ts
 * app.route("/api/v2", countersignHono(countersign))
 * ```
 */
import { type Context, Hono } from "hono"
import { baseRoutePath } from "hono/route"

/** The result of `createCountersign` or of `Http.toWebHandler`. */
export interface Mountable {
  /** Handles a request. `body` is the body if it was read before. */
  readonly handle: (
    request: Request,
    context: {
      readonly basePath: string
      readonly body: Uint8Array | undefined
      readonly clientAddress: string | undefined
    },
  ) => Promise<Response>
}

/** Options of the mount. */
export interface Options {
  /**
   * Returns the address of the peer of the connection: `(c) => getConnInfo(c).remote.address`, with the
   * `getConnInfo` of the runtime. Without it, an organization's allow list admits no address.
   */
  readonly clientAddress?: ((context: Context) => string | undefined) | undefined
}

/** Returns the body if a validator has read it. Hono keeps it then. */
const bodyOf = async ({ req }: Context): Promise<Uint8Array | undefined> =>
  req.raw.bodyUsed ? new Uint8Array(await req.arrayBuffer()) : undefined

/**
 * Returns as many leading segments of a URL's path as the route has. A parameter of the route matches one
 * segment.
 */
const baseOf = (url: string, route: string): string => {
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2)).split("?", 1)[0] ?? ""
  const depth = route.split("/").filter((segment) => segment !== "").length
  return path.split("/", depth + 1).join("/")
}

/** Returns an app that serves everything below the path at which the host mounts it. */
export const countersignHono = ({ handle }: Mountable, { clientAddress }: Options = {}): Hono =>
  new Hono().all("*", async (context) =>
    handle(context.req.raw, {
      basePath: baseOf(context.req.url, baseRoutePath(context)),
      body: await bodyOf(context),
      clientAddress: clientAddress?.(context),
    }),
  )
