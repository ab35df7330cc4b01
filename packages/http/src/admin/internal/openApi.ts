/** Adds to the OpenAPI document of the admin API what schemas cannot express. */
import { fullSentenceOf } from "@countersign/core/domain/errors/ErrorRow"
import { type AnyCode, rowOf } from "@countersign/core/domain/errors/ErrorRows"
import type * as OpenApi from "effect/http-api/OpenApi"
import { describe, tidy, wait } from "../../mount/internal/endpointDocs.ts"
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

/**
 * The meaning of a response, and an error that it may have, by its status. The sentence is by default the sentence of
 * the row.
 */
const failures: Readonly<
  Record<string, readonly [description: string, code: AnyCode, error?: string]>
> = {
  400: ["The code is wrong, or the recipient or the sender cannot be used.", "wrong_code"],
  401: ["The host did not authorize the request.", "unauthorized", "Sign in first"],
  402: ["The balance does not suffice.", "insufficient_balance"],
  403: [
    "The roles do not allow it, or a setting is for operators, or the request comes from another site.",
    "forbidden",
  ],
  404: ["It does not exist, or belongs to another organization.", "organization_not_found"],
  409: ["It contradicts the state of the organization or of the request.", "already_verified"],
  410: ["The verification request has expired.", "request_expired"],
  413: ["The body is larger than 64 KiB.", "body_too_large"],
  415: ["The body is no JSON.", "unsupported_media_type", "Content-Type must be application/json"],
  422: ["Fields are invalid, or the body cannot be read.", "invalid_request"],
  429: ["A limit of the engine.", "rate_limited"],
  500: ["A defect.", "internal"],
  502: ["It was not sent, or it is not known whether it was.", "sending_failed"],
  503: ["The database is unavailable, or there are too many requests.", "unavailable"],
}

/** Parameters of the errors in examples. */
const exampleParams = {
  attemptsRemaining: 2,
  required: 5_000,
  available: 2_000,
  reason: "rate",
  status: "failed",
}

/** The endpoints without an operation that answer 404 although they are not of an organization. */
const ofLogin = ["session.list", "session.endAll", "session.end"]

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
  for (const [status, [description, code, own]] of Object.entries(failures)) {
    const response = operation.responses[Number(status)]
    if (response === undefined) continue
    if (!possible.has(Number(status))) {
      delete operation.responses[Number(status)]
      continue
    }
    response.description = description
    const example = { code, error: own ?? fullSentenceOf(rowOf(code), exampleParams) }
    Object.assign(response.content?.["application/json"] ?? {}, { example })
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
