/**
 * The interface's description, for machines and for people.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../Api.ts"
import type { Endpoint } from "./endpoints.ts"

/** The page brings everything with it: nothing is fetched from anywhere else. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const pageHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
}

const apiBelow = (basePath: string) =>
  Api.annotate(OpenApi.Servers, [{ url: basePath === "" ? "/" : basePath }])

/** `openapi.json`: an OpenAPI 3.1 document. */
export const openApi = (basePath: string): Endpoint => {
  // Made when somebody asks for it.
  let document: HttpServerResponse.HttpServerResponse | undefined
  return () =>
    Effect.sync(
      () => (document ??= HttpServerResponse.jsonUnsafe(OpenApi.fromApi(apiBelow(basePath)))),
    )
}

/** A page to read and to try the interface; its script, which is large, is loaded for the first reader. */
export const page = Effect.fnUntraced(function* (basePath: string, path: `/${string}`) {
  const app = yield* Effect.cached(
    Effect.scoped(
      HttpRouter.toHttpEffect(
        HttpApiScalar.layer(apiBelow(basePath), {
          path,
          scalar: {
            withDefaultFonts: false,
            authentication: { preferredSecurityScheme: "apiKey" },
          },
        }),
      ),
    ),
  )
  return Effect.flatten(app).pipe(
    Effect.map(HttpServerResponse.setHeaders(pageHeaders)),
    // Its one route is asked for by its path.
    Effect.orDie,
  )
})
