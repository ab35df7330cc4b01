/**
 * The interface's description, for machines and for people. It is loaded for its first reader.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../Api.ts"

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

/** Stands for the path that the interface is below, which is another for every mount. */
const somewhere = "below-the-base-path"

const api = Api.annotate(OpenApi.Servers, [{ url: somewhere }])

const urlOf = (basePath: string): string => (basePath === "" ? "/" : basePath)

/** A text in which every mention of `somewhere` gives way to the path. Cut up once, and put together anew. */
const template = (text: string): ((basePath: string) => string) => {
  const parts = text.split(JSON.stringify(somewhere))
  return (basePath) => parts.join(jsonInHtml(urlOf(basePath)))
}

/** JSON that a script in a page can hold as it is. */
const jsonInHtml = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[<>&\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

/** Answers for an interface that is below this path. */
export type Document = (basePath: string) => Effect.Effect<HttpServerResponse.HttpServerResponse>

/** The text is made for the first reader, and kept. */
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

/** A page to read and to try the interface; its script, which is large, is loaded for the first reader. */
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
    // Its one route is asked for by its path.
    Effect.orDie,
  ),
  { contentType: "text/html", headers: pageHeaders },
)
