/** Adds to the OpenAPI document of the admin API what schemas cannot express. */
import type * as OpenApi from "effect/http-api/OpenApi"
import { describe, tidy } from "../../mount/internal/endpointDocs.ts"
import { statusOf } from "./errorResponses.ts"
import { rows } from "./rows.ts"

/** Examples of members, by their names. */
const textExamples: ReadonlyMap<string, string> = new Map([
  ["actor", "olga"],
  ["country", "BD"],
  ["currency", "BDT"],
  ["gateway", "twilio"],
  ["name", "Acme Ltd."],
  ["organization", "acme"],
  ["phoneNumber", "+8801712345678"],
  ["prefix", "88017"],
  ["reason", "the owner called"],
  ["requestId", "vrf_01a20572dcfc45cc03397cb29e2deefb9c363178086b"],
  ["sender", "8809600000001"],
  ["text", "Your parcel has arrived."],
  ["url", "https://hooks.example/countersign"],
])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isChoice = (value: unknown): value is { readonly anyOf: ReadonlyArray<unknown> } =>
  isObject(value) && Array.isArray(value["anyOf"])

/** Whether a schema allows any text, and has no example. */
const isPlainText = (value: unknown): value is { readonly type: "string" } =>
  isObject(value) && value["type"] === "string" && !("enum" in value) && !("examples" in value)

/** Also removes repeated choices: a member that may be missing or null has `null` twice. */
const finishSchema = (key: string, value: unknown): unknown => {
  const tidied = tidy(key, value)
  const example = textExamples.get(key)
  if (example !== undefined && isPlainText(tidied)) return { ...tidied, examples: [example] }
  if (!isChoice(tidied)) return tidied
  const choices = new Map(tidied.anyOf.map((choice) => [JSON.stringify(choice), choice]))
  return { ...tidied, anyOf: [...choices.values()] }
}

const finishParameter = (parameter: OpenApi.OpenAPISpecParameter): OpenApi.OpenAPISpecParameter => {
  const { schema, ...described } = describe(parameter.schema)
  const isList = JSON.stringify(schema).includes('"type":"array"')
  // A list is sent as a parameter for each item.
  const explode = isList ? { style: "form", explode: true } : {}
  return { ...parameter, ...described, ...explode, schema }
}

interface FailureExample {
  readonly description: string
  readonly code: string
  readonly error: string
}

const failures: Readonly<Record<string, FailureExample>> = {
  400: {
    description: "The code is wrong, or the recipient or the sender cannot be used.",
    code: "wrong_code",
    error: "Wrong code; attempts left: 2",
  },
  401: {
    description: "The host did not authorize the request.",
    code: "unauthorized",
    error: "Sign in first",
  },
  402: {
    description: "The balance does not suffice.",
    code: "insufficient_balance",
    error: "Insufficient balance: 0.50 is needed, and 0.20 is available",
  },
  403: {
    description:
      "The roles do not allow it, or a setting is for operators, or the request comes from another site.",
    code: "forbidden",
    error: "Your roles do not allow this",
  },
  404: {
    description: "It does not exist, or belongs to another organization.",
    code: "organization_not_found",
    error: "Organization not found",
  },
  409: {
    description: "It contradicts the state of the organization or of the request.",
    code: "already_verified",
    error: "The request is verified already",
  },
  410: {
    description: "The verification request has expired.",
    code: "request_expired",
    error: "The verification request has expired",
  },
  413: {
    description: "The body is larger than 64 KiB.",
    code: "body_too_large",
    error: "The body is too large",
  },
  415: {
    description: "The body is no JSON.",
    code: "unsupported_media_type",
    error: "Content-Type must be application/json",
  },
  422: {
    description: "Fields are invalid, or the body cannot be read.",
    code: "invalid_request",
    error: "Validation failed",
  },
  429: {
    description: "A limit of the engine.",
    code: "rate_limited",
    error: "Rate limit exceeded: cooldown",
  },
  500: { description: "A defect.", code: "internal", error: "Internal error" },
  502: {
    description: "It was not sent, or it is not known whether it was.",
    code: "sending_failed",
    error: "The message could not be sent",
  },
  503: {
    description: "The database is unavailable, or there are too many requests.",
    code: "unavailable",
    error: "Temporarily unavailable",
  },
}

/** The endpoints without an operation that answer 404 although they are not of an organization. */
const ofLogin = ["session.list", "session.endAll"]

const failuresOf = (
  { operationId, parameters, requestBody }: OpenApi.OpenAPISpecOperation,
  hasBody: boolean,
): ReadonlySet<number> => {
  const isOfOrganization = parameters.some(({ name }) => name === "organization")
  const isChecked = parameters.some((one) => one.in !== "path") || requestBody !== undefined
  const own = (rows.get(operationId)?.errors ?? []).map(statusOf)
  return new Set([
    401,
    403,
    500,
    503,
    ...(isOfOrganization || ofLogin.includes(operationId) ? [404] : []),
    ...(isChecked || hasBody ? [422] : []),
    ...(hasBody ? [413, 415] : []),
    ...own,
  ])
}

const wait: OpenApi.OpenAPISpecHeader = {
  description: "Seconds to wait before the next try.",
  schema: { type: "integer", minimum: 1 },
  required: false,
}

/** Answers that are no bodies of JSON, by their types. */
const answerTexts: Readonly<Record<string, string>> = {
  "application/x-ndjson": "A file with a JSON object in each line.",
  "text/csv": "A file of comma-separated values.",
  "text/event-stream": "The events, as they come.",
}

const describeAnswer = (response: OpenApi.OpenApiSpecResponse): void => {
  const [type = ""] = Object.keys(response.content ?? {})
  const text = response.content === undefined ? "Done. The answer is empty." : answerTexts[type]
  if (text !== undefined) response.description = text
}

const finishOperation = (operation: OpenApi.OpenAPISpecOperation, hasBody: boolean): void => {
  operation.parameters = operation.parameters.map(finishParameter)
  const json = operation.requestBody?.content["application/json"]
  const { operationId } = operation
  const example = rows.get(operationId)?.admin?.example
  if (json !== undefined && example !== undefined) Object.assign(json, { example })
  for (const status of [200, 204]) {
    const response = operation.responses[status]
    if (response !== undefined) describeAnswer(response)
  }
  const possible = failuresOf(operation, hasBody)
  for (const [status, failure] of Object.entries(failures)) {
    const response = operation.responses[Number(status)]
    if (response === undefined) continue
    if (!possible.has(Number(status))) {
      delete operation.responses[Number(status)]
      continue
    }
    const { description, ...body } = failure
    response.description = description
    Object.assign(response.content?.["application/json"] ?? {}, { example: body })
    if (status === "429" || status === "503") response.headers = { "Retry-After": wait }
  }
}

export const finish = (spec: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const document: OpenApi.OpenAPISpec = JSON.parse(JSON.stringify(spec, finishSchema))
  for (const { delete: remove, get, patch, post, put } of Object.values(document.paths)) {
    for (const operation of [get, post, put, patch, remove]) {
      const hasBody = operation !== get && operation !== remove
      if (operation !== undefined) finishOperation(operation, hasBody)
    }
  }
  return { ...document }
}
