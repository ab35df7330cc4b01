/**
 * Adds to the OpenAPI document what schemas of bodies cannot express.
 */
import { maxLength } from "@countersign/core/domain/values/IdempotencyKey"
import { defaults as limits } from "@countersign/core/domain/limits/Limits"
import type * as OpenApi from "effect/http-api/OpenApi"

/** Whether a schema has a single extra keyword that `Schema` put into an `allOf` of its own. */
const isSplit = (value: unknown): value is { readonly allOf: readonly [object] } =>
  typeof value === "object" &&
  value !== null &&
  "allOf" in value &&
  Array.isArray(value.allOf) &&
  value.allOf.length === 1

/**
 * Removes `additionalProperties: false`, because requests may have more members and later versions may return
 * more. Also removes the bounds that every JSON integer has.
 */
export const tidy = (key: string, value: unknown): unknown => {
  if (isSplit(value)) {
    const { allOf, ...rest } = value
    return { ...rest, ...allOf[0] }
  }
  return (key === "additionalProperties" && value === false) ||
    (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
    (key === "maximum" && value === Number.MAX_SAFE_INTEGER)
    ? undefined
    : value
}

export const wait: OpenApi.OpenAPISpecHeader = {
  description: "Seconds to wait before the next try. Absent if a later try would fail as well.",
  schema: { type: "integer", minimum: 1 },
  required: false,
}

/** The error codes of each body, by its name. */
type CodesOf = Readonly<Record<string, ReadonlyArray<string>>>

const errorHeader = (
  response: OpenApi.OpenApiSpecResponse,
  codesOf: CodesOf,
): OpenApi.OpenAPISpecHeader => {
  const bodies = JSON.stringify(response).matchAll(/#\/components\/schemas\/(\w+)/g)
  const found = [...bodies].flatMap(([, body = ""]) => codesOf[body] ?? [])
  return {
    description: "The error code, for programs.",
    schema: { type: "string", enum: [...new Set(found)] },
    required: true,
  }
}

const first: OpenApi.OpenAPISpecHeader = {
  description:
    "`true` on the check that verified the request. Absent on later checks, which succeed with any code.",
  schema: { type: "string", enum: ["true"] },
  required: false,
}

const headersOf: Readonly<Record<string, Record<string, OpenApi.OpenAPISpecHeader>>> = {
  "401": {
    "WWW-Authenticate": {
      description: "The authentication scheme.",
      schema: { type: "string", enum: ["Bearer"] },
      required: true,
    },
  },
  "409": { "Retry-After": wait },
  "429": { "Retry-After": wait },
  "503": { "Retry-After": { ...wait, required: true } },
}

const isoTime = {
  anyOf: [
    { type: "string", format: "date" },
    { type: "string", format: "date-time" },
  ],
  examples: ["2026-01-31", "2026-01-31T09:30:00+06:00"],
}

interface Described {
  readonly description?: string
  readonly schema: object
}

/** The parameters of a query. `Schema` would describe their integers as strings without bounds. */
const queryParameters: Readonly<Record<string, Described>> = {
  limit: {
    description: "Results per page.",
    schema: {
      type: "integer",
      minimum: 1,
      maximum: limits.pageSize.max,
      default: limits.pageSize.default,
    },
  },
  page: {
    description: "Page number.",
    schema: { type: "integer", minimum: 1, maximum: 1_000_000_000, default: 1 },
  },
  from: {
    description:
      "Start of the range, inclusive: an ISO 8601 date (from the start of that day, UTC) or date-time with offset. Ignored without `to`.",
    schema: isoTime,
  },
  to: {
    description:
      "End of the range, inclusive: an ISO 8601 date (to the end of that day, UTC) or date-time with offset. Ignored without `from`.",
    schema: isoTime,
  },
}

/** Moves the description beside the schema, where generators and linters look for it. */
export const describe = ({
  description,
  ...schema
}: {
  readonly description?: string
}): Described => (description === undefined ? { schema } : { description, schema })

const finishParameter = (
  parameter: OpenApi.OpenAPISpecParameter,
): OpenApi.OpenAPISpecParameter => ({
  ...parameter,
  ...((parameter.in === "query" ? queryParameters[parameter.name] : undefined) ??
    describe(parameter.schema)),
})

/** Declared here, because the Effect client would require `headers` in every call. */
const idempotencyKey: OpenApi.OpenAPISpecParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Your own key of the call, unique for each call of the organization and the endpoint. A repeat with the key and the same body within 24 hours has no effect and gets the first answer.",
  schema: { type: "string", minLength: 1, maxLength },
}

const keyedOperations: ReadonlySet<string> = new Set([
  "messages.send",
  "verifications.send",
  "verifications.resend",
  "verifications.consume",
])

const finishOperation = (operation: OpenApi.OpenAPISpecOperation, codesOf: CodesOf): void => {
  operation.parameters = operation.parameters.map(finishParameter)
  if (keyedOperations.has(operation.operationId)) operation.parameters.push(idempotencyKey)
  for (const [status, response] of Object.entries(operation.responses)) {
    if (status === "200" && operation.operationId === "verifications.check") {
      response.headers = { "Countersign-First": first }
    }
    if (Number(status) >= 400) {
      response.headers = {
        "Countersign-Error": errorHeader(response, codesOf),
        ...headersOf[status],
      }
    }
  }
}

const inSchemas = "#/components/schemas/"

/**
 * Moves the schemas of request bodies from `components.schemas` into `components.requestBodies`.
 *
 * `openapi-typescript` makes every member with a default required, because a response always contains it. Its
 * users would have to send these members. It makes an exception below `requestBodies` and `parameters`.
 */
const moveRequestBodies = (
  document: OpenApi.OpenAPISpec,
  operations: ReadonlyArray<OpenApi.OpenAPISpecOperation>,
): Record<string, unknown> => {
  const { schemas } = document.components
  const requestBodies: Record<string, object> = {}
  for (const operation of operations) {
    const reference = operation.requestBody?.content["application/json"]?.schema["$ref"]
    if (typeof reference !== "string") continue
    const name = reference.slice(inSchemas.length)
    const content = { "application/json": { schema: schemas[name] } }
    // A body whose members are all optional may be missing.
    requestBodies[name] = { required: "required" in Object(schemas[name]), content }
    delete schemas[name]
    Object.assign(operation, { requestBody: { $ref: `#/components/requestBodies/${name}` } })
  }
  return { ...document, components: { ...document.components, requestBodies } }
}

export const finish =
  (codesOf: CodesOf) =>
  (spec: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const document: OpenApi.OpenAPISpec = JSON.parse(JSON.stringify(spec, tidy))
    const operations = Object.values(document.paths)
      .flatMap(({ get, post }) => [get, post])
      .filter((operation) => operation !== undefined)
    for (const operation of operations) finishOperation(operation, codesOf)
    return moveRequestBodies(document, operations)
  }
