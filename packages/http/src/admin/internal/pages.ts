import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Pages } from "../AdminOptions.ts"
import { securityHeaders } from "./headers.ts"
import { notFound } from "./errorResponses.ts"

/** Answers with a file. `undefined`: the mount has no pages. */
export const pageOf = (
  pages: Pages | undefined,
  path: string,
  acceptEncoding = "",
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (pages === undefined) return Effect.succeed(notFound)
  return Effect.map(
    Effect.promise(() => pages.file(path, acceptEncoding)),
    (file) => {
      if (file === undefined) return notFound
      const { body, headers, status } = file
      const options = { status, headers: { ...headers, ...securityHeaders } }
      return typeof body === "string"
        ? HttpServerResponse.text(body, options)
        : HttpServerResponse.uint8Array(body, options)
    },
  )
}
