import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { BodyReader } from "../../mount/BodyReader.ts"
import * as RequestContext from "../../mount/RequestContext.ts"

const formType = "application/x-www-form-urlencoded"

/** Maximum size of a form in bytes: that of a login. */
const maxBytes = 4_096

/** Whether a page has sent a form, such as that of a login. */
export const isForm = ({ headers, method }: HttpServerRequest): boolean =>
  method === "POST" && (headers["content-type"] ?? "").startsWith(formType)

/** The form that a parser of the host has read. */
const parsedForm = (body: unknown): string => {
  if (typeof body === "string") return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  const entries = Object.entries(body ?? {}).map(([name, value]) => [name, String(value)])
  return new URLSearchParams(entries).toString()
}

/** Reads the body of a form. A form that is too large or cannot be read is empty. */
export const formBody = (request: HttpServerRequest, read: BodyReader): Effect.Effect<string> => {
  const { body } = RequestContext.of(request)
  if (body !== undefined) return Effect.succeed(parsedForm(body).slice(0, maxBytes))
  return Effect.match(read(request, maxBytes), {
    onFailure: () => "",
    onSuccess: (bytes) => new TextDecoder().decode(bytes),
  })
}
