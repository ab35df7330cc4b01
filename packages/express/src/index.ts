/**
 * Countersign on Express 5, below any path.
 *
 * @example
 * ```ts
 * app.use("/api/v2", countersignExpress(countersign))
 * ```
 */
import type { IncomingMessage, ServerResponse } from "node:http"

/** The result of `createCountersign` or of `Node.toNodeHandler`. */
export interface Mountable {
  /** Handles a request and writes the Node response. `body` is the body from a parser. */
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    context: { readonly basePath: string; readonly body: unknown },
  ) => void
}

/** The members of an Express request that the mount reads. */
export interface ExpressRequest extends IncomingMessage {
  /** The path of the mount, as in the client's request. */
  readonly baseUrl: string
  /** Present only if a parser has read the body. */
  readonly body?: unknown
}

/** Returns a handler for `app.use` or `router.use` that serves everything below its path. */
export const countersignExpress =
  ({ listener }: Mountable) =>
  (request: ExpressRequest, response: ServerResponse): void => {
    const { baseUrl, body } = request
    // Express has removed the path of the mount.
    request.url = `${baseUrl}${request.url ?? ""}`
    listener(request, response, { basePath: baseUrl, body })
  }
