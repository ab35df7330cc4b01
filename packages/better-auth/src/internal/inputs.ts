/** The schemas of bodies and queries. They report the engine's problems, with the field's name. */
import type { StandardSchemaV1 } from "better-auth"
import { type Channel, fieldProblem } from "countersign"
import { refuseField } from "./problems.ts"
import type { CheckInput, Purpose, PurposeInput, ResendInput, StartInput } from "./protocol.ts"

/** Reads a field that is text or `undefined`. */
type Text = (field: string) => string | undefined

const fieldsOf = (value: unknown, known: ReadonlyArray<string>): Text => {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  if (!isObject && value !== undefined) refuseField("body", fieldProblem("not_object", {}))
  const fields = new Map<string, unknown>(Object.entries(value ?? {}))
  for (const field of fields.keys()) {
    if (!known.includes(field)) refuseField(field, fieldProblem("unknown_field", { meant: null }))
  }
  return (field) => {
    const text = fields.get(field)
    if (text === undefined || typeof text === "string") return text
    return refuseField(field, fieldProblem("not_string", {}))
  }
}

const required = (text: Text, field: string): string =>
  text(field) ?? refuseField(field, fieldProblem("required", {}))

const purposeOf = (text: Text): Purpose => {
  const purpose = text("purpose") ?? "login"
  if (purpose === "login" || purpose === "link") return purpose
  return refuseField("purpose", fieldProblem("unknown_option", { options: ["login", "link"] }))
}

const channelOf = (text: Text): Channel | undefined => {
  const channel = text("channel")
  if (channel === undefined || channel === "sms" || channel === "whatsapp") return channel
  return refuseField("channel", fieldProblem("unknown_channel", {}))
}

const schema = <Input, Output>(
  known: ReadonlyArray<keyof NonNullable<Input> & string>,
  read: (text: Text) => Output,
): StandardSchemaV1<Input, Output> => ({
  "~standard": {
    version: 1,
    vendor: "countersign",
    validate: (value) => ({ value: read(fieldsOf(value, known)) }),
  },
})

export const start = schema<StartInput, ReturnType<typeof readStart>>(
  ["phoneNumber", "channel", "locale", "purpose"],
  (text) => readStart(text),
)

const readStart = (text: Text) => ({
  phoneNumber: required(text, "phoneNumber"),
  channel: channelOf(text),
  locale: text("locale"),
  purpose: purposeOf(text),
})

export const resend = schema<ResendInput, { channel: Channel | undefined; purpose: Purpose }>(
  ["channel", "purpose"],
  (text) => ({ channel: channelOf(text), purpose: purposeOf(text) }),
)

export const check = schema<CheckInput, CheckInput>(["code", "phoneNumber"], (text) => ({
  code: required(text, "code"),
  phoneNumber: text("phoneNumber"),
}))

export const ofPurpose = schema<PurposeInput | undefined, { purpose: Purpose }>(
  ["purpose"],
  (text) => ({ purpose: purposeOf(text) }),
)
