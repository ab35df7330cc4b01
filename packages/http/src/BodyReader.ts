/**
 * The port to the bytes of a request's body. Servers bring readers of their own
 * where they know a shorter way than the one that works everywhere.
 */
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** Why the bytes of a body could not be had. */
export type ReadProblem = "too large" | "unreadable"

/** Reads a body of at most `maxBytes`, whatever its headers say, and stops where there is more. */
export type BodyReader = (
  request: HttpServerRequest,
  maxBytes: number,
) => Effect.Effect<Uint8Array, ReadProblem>

const problemOf = ({ reason }: HttpServerError): ReadProblem =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
    ? "too large"
    : "unreadable"

/** Works with every kind of request. */
export const portable: BodyReader = (request, maxBytes) =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
    Effect.mapBoth({ onSuccess: (buffer) => new Uint8Array(buffer), onFailure: problemOf }),
  )

/** The reader in force. */
export const BodyReader = Context.Reference<BodyReader>("@countersign/http/BodyReader", {
  defaultValue: () => portable,
})
