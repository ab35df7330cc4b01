/**
 * Countersign on Fastify 5, below any prefix.
 *
 * @example
 * ```ts
 * app.register(countersignFastify(countersign), { prefix: "/api/v2" })
 * ```
 */
import type { FastifyError, FastifyPluginCallback, FastifyReply, FastifyRequest } from "fastify"
import type { IncomingMessage, ServerResponse } from "node:http"

/** The result of `createCountersign` or of `Node.toNodeHandler`. */
export interface Mountable {
  /** Handles a request and writes the Node response. */
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    context: { readonly basePath: string },
  ) => void
  /** Waits for requests under way, then ends the services. */
  readonly dispose: () => Promise<void>
  /** Ends the responses that last, such as event streams, which the server would wait for. */
  readonly endStreams?: () => void
}

/** Returns as many leading segments of a path as the prefix has. A parameter of the prefix matches one segment. */
const baseOf = (url: string, prefix: string): string =>
  (url.split("?", 1)[0] ?? "").split("/", prefix.split("/").length).join("/")

/**
 * Returns a plugin that serves everything below its prefix and ends the engine when the app closes. The host's
 * content type parsers do not apply to these routes; the host's hooks do.
 */
export const countersignFastify =
  ({ dispose, endStreams, listener }: Mountable): FastifyPluginCallback =>
  (app, _options, done) => {
    const answer = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
      reply.hijack()
      listener(raw, reply.raw, { basePath: baseOf(raw.url ?? "", app.prefix) })
    }
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null))
    // Fastify calls no parser for an invalid media type. The response is the same as for every other type that
    // is not JSON.
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      if (error.code !== "FST_ERR_CTP_INVALID_MEDIA_TYPE") throw error
      answer(request, reply)
    })
    app.addHook("preClose", async () => endStreams?.())
    app.addHook("onClose", () => dispose())
    app.all("/", answer)
    app.all("/*", answer)
    done()
  }
