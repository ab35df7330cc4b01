/**
 * The port that reads the bytes of a request's body. Servers replace the portable reader with a faster one.
 */
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** The reason why a body could not be read. */
export type ReadProblem = "too large" | "unreadable"

/** Reads a body of at most `maxBytes`, regardless of its headers, and stops at the limit. */
export type BodyReader = (
  request: HttpServerRequest,
  maxBytes: number,
) => Effect.Effect<Uint8Array, ReadProblem>

const problemOf = ({ reason }: HttpServerError): ReadProblem =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
    ? "too large"
    : "unreadable"

/** A reader that works with every kind of request. */
export const portable: BodyReader = (request, maxBytes) =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
    Effect.mapBoth({ onSuccess: (buffer) => new Uint8Array(buffer), onFailure: problemOf }),
  )

/** The body reader. @defaultValue `portable` */
export const BodyReader = Context.Reference<BodyReader>("@countersign/http/mount/BodyReader", {
  defaultValue: () => portable,
})
