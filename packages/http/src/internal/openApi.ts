/**
 * Says in the OpenAPI document what schemas of bodies cannot say.
 */
import type * as OpenApi from "effect/http-api/OpenApi"

/**
 * Left out: that bodies have no further members (they are ignored when sent, and
 * may be added when received), and the bounds of every integer that JSON can hold.
 */
const tidy = (key: string, value: unknown): unknown =>
  (key === "additionalProperties" && value === false) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)
    ? undefined
    : value

const wait: OpenApi.OpenAPISpecHeader = {
  description: "Whole seconds after which to try again. Absent where no wait helps.",
  schema: { type: "integer", minimum: 1 },
  required: false,
}

const headersOf: Readonly<Record<string, Record<string, OpenApi.OpenAPISpecHeader>>> = {
  "401": {
    "WWW-Authenticate": { schema: { type: "string", enum: ["Bearer"] }, required: true },
  },
  "429": { "Retry-After": wait },
  "503": { "Retry-After": { ...wait, required: true } },
}

/** In a query everything is text to a schema; to a reader these are numbers. */
const integers: Readonly<
  Record<string, { readonly description: string; readonly schema: object }>
> = {
  limit: {
    description: "Results per page.",
    schema: { type: "integer", minimum: 1, maximum: 200, default: 50 },
  },
  page: { description: "From 1.", schema: { type: "integer", minimum: 1, default: 1 } },
}

const finishOperation = (operation: OpenApi.OpenAPISpecOperation): void => {
  operation.parameters = operation.parameters.map((parameter) => ({
    ...parameter,
    ...integers[parameter.name],
  }))
  for (const [status, response] of Object.entries(operation.responses)) {
    const headers = headersOf[status]
    if (headers !== undefined) response.headers = headers
  }
}

/** The finished document. */
export const finish = (spec: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const document: OpenApi.OpenAPISpec = JSON.parse(JSON.stringify(spec, tidy))
  for (const { get, post } of Object.values(document.paths)) {
    for (const operation of [get, post]) if (operation !== undefined) finishOperation(operation)
  }
  return { ...document }
}
