/**
 * Says in the OpenAPI document what schemas of bodies cannot say.
 */
import { codes } from "@countersign/core/ErrorCode"
import type * as OpenApi from "effect/http-api/OpenApi"
import type { FailureCode } from "./answers.ts"

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

/** By the identifiers of the bodies. */
const codesOf: Readonly<Record<string, ReadonlyArray<FailureCode>>> = {
  AddressNotAllowed: [codes.AddressNotAllowed],
  AttemptsExhausted: [codes.AttemptsExhausted],
  BodyTooLarge: ["body_too_large"],
  InsufficientBalance: [codes.InsufficientBalance],
  InternalError: ["internal", codes.SendingFailed],
  InvalidRequest: [codes.InvalidRequest],
  MessageNotFound: [codes.MessageNotFound],
  NotSendable: [codes.NotOnWhatsApp, codes.BrandUnusable],
  RateLimited: [codes.RateLimited],
  RequestExpired: [codes.RequestExpired],
  RequestNotFound: [codes.RequestNotFound],
  SendingFailed: [codes.SendingFailed],
  TooManyPending: [codes.TooManyPending],
  Unauthorized: [codes.Unauthorized],
  Unavailable: [codes.StoreUnavailable],
  UnsupportedMediaType: ["unsupported_media_type"],
  WrongCode: [codes.WrongCode],
}

const errorHeader = (response: OpenApi.OpenApiSpecResponse): OpenApi.OpenAPISpecHeader => {
  const bodies = JSON.stringify(response).matchAll(/#\/components\/schemas\/(\w+)/g)
  const found = [...bodies].flatMap(([, body = ""]) => codesOf[body] ?? [])
  return {
    description: "What went wrong, for programs.",
    schema: { type: "string", enum: [...new Set(found)] },
    required: true,
  }
}

const first: OpenApi.OpenAPISpecHeader = {
  description:
    "`true` on the check that verified the request. Absent on every later check of it, which succeeds whatever its code.",
  schema: { type: "string", enum: ["true"] },
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
    if (status === "200" && operation.operationId === "verifications.check") {
      response.headers = { "Countersign-First": first }
    }
    if (Number(status) >= 400) {
      response.headers = { "Countersign-Error": errorHeader(response), ...headersOf[status] }
    }
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
