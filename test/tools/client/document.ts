/** The calls of the tenant interface, from its OpenAPI document, as the client has them. */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../../../packages/http/src/tenant/Api.ts"
import { docComment } from "../docComment.ts"
import { names as errorNames } from "../errors/clientErrors.ts"

/** What the generator reads of a JSON schema. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly schema: JsonSchema
}

interface Body {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: { readonly 200: Body }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly requestBodies: Readonly<Record<string, Body>>
  }
}

const document: Document = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))

/** The methods of the client, and their names in the tables of errors. */
const methods = [
  ["verifications.send", "verify"],
  ["verifications.check", "check"],
  ["verifications.resend", "resend"],
  ["verifications.cancel", "cancel"],
  ["verifications.consume", "consume"],
  ["verifications.status", "status"],
  ["messages.send", "send"],
  ["messages.list", "list"],
  ["messages.get", "get"],
  ["balance", "balance"],
] as const

/** Names of the client that differ from those on the wire by more than their case. */
const inputNames: Readonly<Record<string, string>> = { brand_id: "sender", expiry: "expiresIn" }
const messageNames: Readonly<Record<string, string>> = { to: "phoneNumber", message: "text" }
const outputNames: Readonly<Record<string, string>> = {
  ...messageNames,
  recipient: "phoneNumber",
  expires_in: "expiresInSeconds",
}
const typeNames: Readonly<Record<string, string>> = {
  MessageLog: "MessagePage",
  LoggedMessage: "LogEntry",
}

/** Members whose types or texts differ from those on the wire. */
export const ownMembers: Readonly<
  Record<string, { readonly type?: string; readonly text?: string }>
> = {
  "SendVerification.expiresIn": {
    type: "Duration",
    text: '`"60 seconds"` to `"1 hour"`, in whole seconds. @defaultValue `"5 minutes"`',
  },
  "SendVerification.locale": {
    type: "string",
    text: "Language of the text: `en-us`, `bn-bd`, or another one of the service. @defaultValue the service's first locale",
  },
  "SendVerification.payment": { type: "Payment" },
  "SentVerification.requestId": { text: "Pass it to `check` with the code." },
  "ResentVerification.requestId": { text: "Pass it to `check` with the code." },
  "CheckVerification.requestId": {
    text: "From the result of `verifications.send`. Required without `phoneNumber`, and not allowed with it.",
  },
  "CheckVerification.phoneNumber": {
    text: "Without `requestId`: selects the newest pending request of this number.",
  },
  "ConsumedVerification.proof": {
    text: "A signed token for another service, valid for minutes; `null` if the service signs no proofs.",
  },
  "VerificationStatus.messages.id": { text: "For `messages.get`." },
  "ListMessages.from": {
    type: "Date | string",
    text: "An instant, a date-time with its offset, or a date, which is the whole day in UTC. Inclusive. Ignored without `to`.",
  },
  "ListMessages.to": { type: "Date | string", text: "As `from`, which it is ignored without." },
}

/** Methods whose texts on the wire name headers or statuses. */
export const ownMethods: Readonly<Record<string, string>> = {
  "verifications.check":
    "Compares the code that a user typed. Each wrong code uses one attempt. Later checks of a verified request succeed with any code; see `isFirst`.",
}

/** Members that come from a header. */
export const extras: Readonly<
  Record<string, { readonly name: string; readonly header: string; readonly text: string }>
> = {
  CheckedVerification: {
    name: "isFirst",
    header: "first",
    text: "Whether this check verified the request. Later checks succeed as well, with any code. Begin a session only if it is `true`. It is `false` if a proxy has removed the `Countersign-First` header.",
  },
}

export const camel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The type of the client for a schema with a name. */
export const nameOf = (reference: string | undefined): string => reference?.split("/").at(-1) ?? ""

export const resolved = (schema: JsonSchema): JsonSchema =>
  schema.$ref === undefined ? schema : (document.components.schemas[nameOf(schema.$ref)] ?? {})

export const bodyOf = ({ content }: Body): JsonSchema => content?.["application/json"]?.schema ?? {}

export interface Call {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** Its name in the tables of errors. */
  readonly errors: keyof typeof errorNames
  /** Names its endpoint. */
  readonly endpoint: string
  readonly input: string
  readonly output: string
  readonly isKeyed: boolean
  readonly isOfRequest: boolean
  /** The members of the body or the query. */
  readonly fields: JsonSchema
}

const operations = Object.entries(document.paths).flatMap(([path, own]) =>
  Object.entries(own).map(([method, operation]) => ({ path, method, operation })),
)

const fieldsOf = ({ parameters = [], requestBody }: Operation): JsonSchema => {
  const body = document.components.requestBodies[nameOf(requestBody?.$ref)]
  if (body !== undefined) return resolved(bodyOf(body))
  const query = parameters.filter((one) => one.in === "query")
  return {
    properties: Object.fromEntries(
      query.map(({ description = "", name, schema }) => [name, { ...schema, description }]),
    ),
  }
}

export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

export const calls: ReadonlyArray<Call> = methods.map(([name, errors]) => {
  const found = operations.find(({ operation }) => operation.operationId.endsWith(name))
  if (found === undefined) throw new Error(`The interface has no ${name}`)
  const { operation, path } = found
  const fields = fieldsOf(operation)
  const isOfRequest = path.includes("{request_id}")
  const title = errorNames[errors].replace(/Error$/, "")
  const output = nameOf(bodyOf(operation.responses[200]).$ref)
  const alone = isOfRequest ? "OfRequest" : "CallOptions"
  return {
    ...found,
    name,
    errors,
    fields,
    isOfRequest,
    endpoint: lowerFirst(title),
    input: Object.keys(fields.properties ?? {}).length === 0 ? alone : title,
    output: typeNames[output] ?? output,
    isKeyed: operation.parameters?.some((one) => one.name === "Idempotency-Key") === true,
  }
})

export const nameOfInput = (call: Call, wire: string): string =>
  inputNames[wire] ??
  (call.name === "messages.send" ? messageNames[wire] : undefined) ??
  camel(wire)

export const nameOfOutput = (wire: string): string => outputNames[wire] ?? camel(wire)

export const isNullable = ({ anyOf = [] }: JsonSchema): boolean =>
  anyOf.some(({ type }) => type === "null")

/** Without `null`. */
export const given = (schema: JsonSchema): JsonSchema =>
  isNullable(schema) ? (schema.anyOf?.find(({ type }) => type !== "null") ?? {}) : schema

const rangeOf = ({ maximum, maxLength, minimum, minLength }: JsonSchema): string => {
  const number = (value: number) => value.toLocaleString("en")
  if (minimum !== undefined && maximum !== undefined && maximum < 1e6) {
    return ` ${number(minimum)} to ${number(maximum)}.`
  }
  return minLength !== undefined && maxLength !== undefined
    ? ` ${number(minLength)} to ${number(maxLength)} characters.`
    : ""
}

export const textOf = (schema: JsonSchema): string => {
  const { default: standard, description = "" } = schema
  const value = standard === undefined ? "" : ` @defaultValue \`${String(standard)}\``
  const text = description.replaceAll(
    /`([a-z]+(?:_[a-z]+)+)`/g,
    (_, name: string) => `\`${camel(name)}\``,
  )
  return `${text}${rangeOf(schema)}${value}`.trim()
}

export const comment = (text: string): string => (text === "" ? "" : `${docComment(text, "  ")}\n`)

export const outputs = [
  ...new Map(calls.map((call) => [call.output, resolved(bodyOf(call.operation.responses[200]))])),
]

/** A list is a page, and has its members beside it. */
export const shapeOf = ({ properties = {} }: JsonSchema): JsonSchema => {
  const data = resolved(properties["data"] ?? {})
  const page = properties["pagination"]
  return data.type === "array" && page !== undefined
    ? { properties: { messages: data, ...page.properties } }
    : data
}
