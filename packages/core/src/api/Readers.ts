/**
 * Readers of the inputs that are read most often: of these, a schema takes several times as long. They read what the
 * schemas of their operations do.
 */
import type { ReadersOf } from "./Input.ts"
import type { messages } from "./messages.ts"
import type { verifications } from "./verifications.ts"
import * as Duration from "../domain/values/Duration.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import * as Fields from "../domain/values/FieldReaders.ts"
import * as CodeText from "../domain/verifications/CodeText.ts"
import * as Payment from "../domain/verifications/Payment.ts"
import * as Result from "effect/Result"

const optionalText = Fields.optional(Fields.text)

const channel = Fields.optional(Fields.channel)

/** The text of a duration. */
const duration: Fields.Reader<Duration.Duration> = (value) =>
  Duration.is(value)
    ? value
    : Result.merge(Result.map(Duration.toMillis(value), () => FieldProblem.make("not_string", {})))

type Verifications = typeof verifications

export const sendMessage: ReadersOf<(typeof messages)["send"]> = {
  phoneNumber: Fields.text,
  text: Fields.text,
  channel,
  class: Fields.optional(Fields.messageClass),
  sender: optionalText,
  idempotencyKey: optionalText,
}

export const send: ReadersOf<Verifications["send"]> = {
  phoneNumber: Fields.text,
  channel,
  codeLength: Fields.optional(Fields.integer),
  expiresIn: Fields.optional(duration),
  locale: optionalText,
  sender: optionalText,
  client: optionalText,
  purpose: optionalText,
  // The engine checks that the text is that of an object.
  metadata: Fields.optional(Fields.jsonText),
  payment: Fields.optional(Payment.read),
  requestId: optionalText,
  idempotencyKey: optionalText,
}

export const resend: ReadersOf<Verifications["resend"]> = {
  requestId: Fields.text,
  channel,
  client: optionalText,
  idempotencyKey: optionalText,
}

export const consume: ReadersOf<Verifications["consume"]> = {
  requestId: Fields.text,
  purpose: optionalText,
  audience: optionalText,
  idempotencyKey: optionalText,
}

export const verify: ReadersOf<Verifications["verify"]> = {
  ...consume,
  code: CodeText.read,
  client: optionalText,
}

export const check: ReadersOf<Verifications["check"]> = {
  requestId: optionalText,
  phoneNumber: optionalText,
  purpose: optionalText,
  code: CodeText.read,
  client: optionalText,
}
