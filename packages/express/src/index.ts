/**
 * Countersign on Express 5, below whatever path the host gives it.
 *
 * @example
 * ```ts
 * app.use("/api/v2", countersignExpress(countersign))
 * ```
 */
import type { IncomingMessage, ServerResponse } from "node:http"

/** What is mounted: what `createCountersign` gives, or `Node.toNodeHandler`. */
export interface Mountable {
  /** Answers a request on the Node response. `body` is what a parser made of it. */
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    context: { readonly basePath: string; readonly body: unknown },
  ) => void
}

/** The parts of an Express request that the mount looks at. */
export interface ExpressRequest extends IncomingMessage {
  /** Where the mount is, as the client wrote it. */
  readonly baseUrl: string
  /** Only there when a parser has read the body. */
  readonly body?: unknown
}

/** Answers everything below the path that it is given to `app.use` or `router.use` with. */
export const countersignExpress =
  ({ listener }: Mountable) =>
  (request: ExpressRequest, response: ServerResponse): void => {
    const { baseUrl, body } = request
    // Express has cut its own part off.
    request.url = `${baseUrl}${request.url ?? ""}`
    listener(request, response, { basePath: baseUrl, body })
  }
