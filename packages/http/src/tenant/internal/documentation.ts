/**
 * The description of the interface, for machines and for people. It is loaded at the first request for it.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../Api.ts"

/** The page contains everything that it needs and loads nothing from elsewhere. */
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

/** A placeholder for the base path, which differs by mount. */
const somewhere = "below-the-base-path"

const api = Api.annotate(OpenApi.Servers, [{ url: somewhere }])

const urlOf = (basePath: string): string => (basePath === "" ? "/" : basePath)

/** Returns a function that replaces every `somewhere` in a text with the base path. It splits the text only once. */
const template = (text: string): ((basePath: string) => string) => {
  const parts = text.split(JSON.stringify(somewhere))
  return (basePath) => parts.join(jsonInHtml(urlOf(basePath)))
}

const jsonInHtml = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[<>&\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

export type Document = (basePath: string) => Effect.Effect<HttpServerResponse.HttpServerResponse>

/** Serves a text that is created at the first request and kept. */
const document = (
  text: Effect.Effect<string>,
  options: HttpServerResponse.Options.WithContentType,
): Document => {
  const below = Effect.runSync(Effect.cached(Effect.map(text, template)))
  return (basePath) =>
    Effect.map(below, (textFor) => HttpServerResponse.text(textFor(basePath), options))
}

/** `openapi.json`: an OpenAPI 3.1 document. */
export const openApi = document(
  Effect.sync(() => JSON.stringify(OpenApi.fromApi(api))),
  { contentType: "application/json" },
)

const path = "/docs"

/** A page to read about the interface and to try it. Its large script is loaded at the first request. */
export const page = document(
  HttpRouter.toHttpEffect(
    HttpApiScalar.layer(api, {
      path,
      scalar: {
        withDefaultFonts: false,
        authentication: { preferredSecurityScheme: "apiKey" },
      },
    }),
  ).pipe(
    Effect.flatten,
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request(`http://localhost${path}`)),
    ),
    Effect.flatMap((made) => Effect.promise(() => HttpServerResponse.toWeb(made).text())),
    Effect.scoped,
    // The router cannot fail: it has one route, and the request has its path.
    Effect.orDie,
  ),
  { contentType: "text/html", headers: pageHeaders },
)
