/**
 * Converts requests into the input of the engine. This module refuses nothing. A field that it cannot read becomes
 * a `FieldProblem`, which the engine reports after it has checked the key.
 */
import type { Caller } from "@countersign/core/api/Caller"
import * as Duration from "@countersign/core/domain/values/Duration"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import type { ListMessages, SendMessage } from "@countersign/core/services/Messages"
import * as CodeText from "@countersign/core/domain/verifications/CodeText"
import * as Payment from "@countersign/core/domain/verifications/Payment"
import type * as Verifications from "@countersign/core/services/verifications/Verifications"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as IsoDate from "@countersign/core/domain/values/IsoDate"
import type { JsonObject } from "../../mount/internal/jsonBody.ts"

type Input<A extends Caller> = Fields.Parsed<Omit<A, keyof Caller>>

/** The same with every field, so that a field of the engine without a reader does not compile. */
type Body<A extends Caller> = Fields.Parsed<Required<Omit<A, keyof Caller | "idempotencyKey">>>

/** Names on the wire of fields that have another name in the engine. */
export type WireNames = Readonly<Record<string, string>>

/** The header of the field `idempotencyKey`. Node joins repeated headers with a comma: that is another key. */
const keyHeader = "Idempotency-Key"

export const messageNames = {
  phoneNumber: "to",
  text: "message",
  sender: "brand_id",
  idempotencyKey: keyHeader,
} as const satisfies WireNames

export const verificationNames = {
  phoneNumber: "phone_number",
  codeLength: "code_length",
  expiresIn: "expiry",
  requestId: "request_id",
  sender: "brand_id",
  idempotencyKey: keyHeader,
} as const satisfies WireNames

export const idempotencyKey = ({ headers }: Pick<HttpServerRequest, "headers">) => ({
  idempotencyKey: headers["idempotency-key"],
})

const optionalText = Fields.optional(Fields.text)
const optionalJson = Fields.optional(Fields.jsonText)
const optionalPayment = Fields.optional(Payment.read)
const optionalInteger = Fields.optional(Fields.integer)
/** Seconds as a duration. One that no duration has is out of every organization's bounds. */
const optionalSeconds: Fields.Reader<Duration.Duration | undefined> = (value) => {
  const seconds = optionalInteger(value)
  if (typeof seconds !== "number") return seconds
  return Duration.format(Math.min(Math.max(0, seconds) * 1_000, Duration.maxMillis))
}

const optionalClass = Fields.optional(Fields.messageClass)

const optionalChannel = Fields.optional(Fields.channel)

export const sendMessage = (body: JsonObject): Body<SendMessage> => ({
  phoneNumber: Fields.text(body[messageNames.phoneNumber]),
  text: Fields.text(body[messageNames.text]),
  channel: optionalChannel(body["channel"]),
  class: optionalClass(body["class"]),
  sender: optionalText(body[messageNames.sender]),
})

export const sendVerification = (
  body: JsonObject,
): Body<Omit<Verifications.SendVerification, "requestId">> => ({
  phoneNumber: Fields.text(body[verificationNames.phoneNumber]),
  channel: optionalChannel(body["channel"]),
  codeLength: optionalInteger(body[verificationNames.codeLength]),
  expiresIn: optionalSeconds(body[verificationNames.expiresIn]),
  locale: optionalText(body["locale"]),
  sender: optionalText(body[verificationNames.sender]),
  client: optionalText(body["client"]),
  purpose: optionalText(body["purpose"]),
  metadata: optionalJson(body["metadata"]),
  payment: optionalPayment(body["payment"]),
})

export const checkVerification = (body: JsonObject): Body<Verifications.CheckVerification> => ({
  requestId: optionalText(body[verificationNames.requestId]),
  phoneNumber: optionalText(body[verificationNames.phoneNumber]),
  code: CodeText.read(body["code"]),
  client: optionalText(body["client"]),
  purpose: optionalText(body["purpose"]),
})

export const resendVerification = (
  requestId: string,
  body: JsonObject,
): Body<Verifications.ResendVerification> => ({
  requestId,
  channel: optionalChannel(body["channel"]),
  client: optionalText(body["client"]),
})

export const consumeVerification = (
  requestId: string,
  body: JsonObject,
): Body<Verifications.ConsumeVerification> => ({
  requestId,
  purpose: optionalText(body["purpose"]),
  audience: optionalText(body["audience"]),
})

/** Returns the last segment of a request target's path without unescaping it, because ids need no escaping. */
export const lastSegment = (target: string): string => /([^/?]*)(?:\?|$)/.exec(target)?.[1] ?? ""

/** Returns the segment before the last one in the same way. */
export const lastSegmentButOne = (target: string): string =>
  /([^/?]*)\/[^/?]*(?:\?|$)/.exec(target)?.[1] ?? ""

const integer = (text: string): number | FieldProblem.FieldProblem =>
  /^\d{1,15}$/.test(text) ? Number(text) : FieldProblem.make("not_integer", {})

const instant = (edge: IsoDate.Edge) => (text: string) =>
  // A plus that was not escaped has become a space.
  IsoDate.parse(text.replace(/ (?=\d\d(?::?\d\d)?$)/, "+"), edge) ??
  FieldProblem.make("not_iso_date", {})

const everything: Input<ListMessages> = {}

/** Parses the query of a request target, which begins after its first question mark. */
export const listMessages = (target: string): Input<ListMessages> => {
  const mark = target.indexOf("?")
  if (mark < 0) return everything
  const query = new URLSearchParams(target.slice(mark + 1))
  const parameter = (
    name: string,
    read: (text: string) => number | FieldProblem.FieldProblem,
  ): number | FieldProblem.FieldProblem | undefined => {
    const [text, ...more] = query.getAll(name)
    if (more.length > 0) return FieldProblem.make("repeated", {})
    return text === undefined ? undefined : read(text)
  }
  return {
    limit: parameter("limit", integer),
    page: parameter("page", integer),
    from: parameter("from", instant("start")),
    to: parameter("to", instant("end")),
  }
}
