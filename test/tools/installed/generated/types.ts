/**
 * Requests and answers, typed by what openapi-typescript generates with its defaults.
 */
import type { components, operations, paths } from "./schema.js"
import type { OptionalIn } from "./optional.js"

type Schemas = components["schemas"]
type Parameters = operations["messages.list"]["parameters"]
type SendMessage = paths["/messages"]["post"]["requestBody"]["content"]["application/json"]
type SendVerification = paths["/verify"]["post"]["requestBody"]["content"]["application/json"]

export const everyMessage: Parameters = {}
export const firstPage: Parameters = { query: {} }
export const message: SendMessage = { to: "8801712345678", message: "Your order has shipped." }
export const verification: SendVerification = { phone_number: "+8801712345678" }
export const check: components["requestBodies"]["CheckVerification"]["content"]["application/json"] =
  { request_id: verification.phone_number, code: "123456" }

// @ts-expect-error -- a request without its required member
export const noPhoneNumber: SendVerification = {}

// @ts-expect-error -- a channel that the service does not have
export const noSuchChannel: SendMessage = { ...message, channel: "pigeon" }

/** Answers have all their members. */
export const optional: [OptionalIn<Schemas[keyof Schemas]>] extends [never] ? "none" : never =
  "none"
