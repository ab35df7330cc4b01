/**
 * Countersign on Hono, below whatever path the host gives it.
 *
 * @example
 * ```ts
 * app.route("/api/v2", countersignHono(countersign))
 * ```
 */
import { type Context, Hono } from "hono"
import { baseRoutePath } from "hono/route"

/** What is mounted: what `createCountersign` gives, or `Http.toWebHandler`. */
export interface Mountable {
  /** Answers a request. `body` is the body if it was read before. */
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
   * The address at the other end of the connection: `(c) => getConnInfo(c).remote.address`, with the
   * `getConnInfo` of the runtime. Without it, an organization's allow list admits nobody.
   */
  readonly clientAddress?: ((context: Context) => string | undefined) | undefined
}

/** A body that a validator has read is still in the hands of Hono. */
const bodyOf = async ({ req }: Context): Promise<Uint8Array | undefined> =>
  req.raw.bodyUsed ? new Uint8Array(await req.arrayBuffer()) : undefined

/** The first segments of a URL's path, as many as the route has: a parameter in it stands for one. */
const baseOf = (url: string, route: string): string => {
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2)).split("?", 1)[0] ?? ""
  const depth = route.split("/").filter((segment) => segment !== "").length
  return path.split("/", depth + 1).join("/")
}

/** An app that answers everything below the path at which the host's app has it. */
export const countersignHono = ({ handle }: Mountable, { clientAddress }: Options = {}): Hono =>
  new Hono().all("*", async (context) =>
    handle(context.req.raw, {
      basePath: baseOf(context.req.url, baseRoutePath(context)),
      body: await bodyOf(context),
      clientAddress: clientAddress?.(context),
    }),
  )
