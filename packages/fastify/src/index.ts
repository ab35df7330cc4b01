/**
 * Countersign on Fastify 5, below whatever prefix the host gives it.
 *
 * @example
 * ```ts
 * app.register(countersignFastify(countersign), { prefix: "/api/v2" })
 * ```
 */
import type { FastifyError, FastifyPluginCallback, FastifyReply, FastifyRequest } from "fastify"
import type { IncomingMessage, ServerResponse } from "node:http"

/** What is mounted: what `createCountersign` gives, or `Node.toNodeHandler`. */
export interface Mountable {
  /** Answers a request on the Node response. */
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    context: { readonly basePath: string },
  ) => void
  /** Waits for requests that are under way, then ends the services. */
  readonly dispose: () => Promise<void>
}

/** The first segments of a path, as many as the prefix has: a parameter in it stands for one. */
const baseOf = (url: string, prefix: string): string =>
  (url.split("?", 1)[0] ?? "").split("/", prefix.split("/").length).join("/")

/**
 * Answers everything below its prefix, and ends the engine when the app closes. The host's parsers keep
 * away from these routes, the host's hooks do not.
 */
export const countersignFastify =
  ({ dispose, listener }: Mountable): FastifyPluginCallback =>
  (app, _options, done) => {
    const answer = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
      reply.hijack()
      listener(raw, reply.raw, { basePath: baseOf(raw.url ?? "", app.prefix) })
    }
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null))
    // A type that is none never comes to a parser, and is answered like every other that is not JSON.
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      if (error.code !== "FST_ERR_CTP_INVALID_MEDIA_TYPE") throw error
      answer(request, reply)
    })
    app.addHook("onClose", () => dispose())
    app.all("/", answer)
    app.all("/*", answer)
    done()
  }
