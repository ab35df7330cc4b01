/**
 * The bodies of the login. Requests are read strictly: an unknown member is refused.
 */
import * as Fields from "@countersign/core/api/Fields"
import * as Schema from "effect/Schema"

const { field, optional, optionalText, record, text } = Fields

const { Array, Int, Literal, Record, String, Unknown, optionalKey } = Schema

const phoneNumber = (description: string) => optionalText(description)

/** The body of `POST /start`. */
export const Start = record("Start", "The number that gets a code.", {
  phoneNumber: phoneNumber(
    "The number as the user typed it. Required unless the host chooses the number.",
  ),
  channel: optional(Fields.channel, "The channel.", "the default of the host"),
  locale: optionalText("The locale of the text.", "the default locale of the texts"),
})

/** The body of `POST /resend`, which may be missing. */
export const Resend = record("Resend", "The code to send again.", {
  channel: optional(Fields.channel, "The channel.", "the channel of the last message"),
})

/** The body of `POST /check`. */
export const Check = record("Check", "The code that the user typed.", {
  code: Fields.code,
  phoneNumber: phoneNumber(
    "The number that the page shows. If the code was sent to another one, the answer is `number_changed`, and no attempt is used.",
  ),
})

/** The body of `POST /cancel`, which may be missing. */
export const Cancel = record("Cancel", "Has no members.", {})

/** The values that `onStart` may choose. */
export const Choice = Schema.Struct({
  phoneNumber: Schema.optional(String),
  payment: Schema.optional(Schema.Struct({ amount: String, payee: String })),
  metadata: Schema.optional(Fields.metadata),
  locale: Schema.optional(String),
})

/** A browser has a request, and the user may type its code. */
export const Waiting = record("Waiting", "A code was sent, and the user may type it.", {
  status: Literal("waiting"),
  phoneNumber: field(Fields.phoneNumber, "The number that gets the code, E.164 with its plus."),
  channel: field(Fields.channel, "The channel of the last message."),
  codeLength: field(Int, "Number of digits of the code."),
  expiresAt: field(Fields.time, "When the code expires."),
  resendAt: field(
    Fields.timeOrNull,
    "The earliest time to send the code again; null if it cannot be sent.",
  ),
  resendsRemaining: field(Int, "How often the code can still be sent again."),
  attemptsRemaining: field(Int, "How many codes can still be typed."),
  now: field(Fields.time, "The time of the server. Count down from it, because clocks differ."),
})

/** A browser has no request whose code could be typed. */
export const Idle = record("Idle", "The browser waits for no code.", { status: Literal("idle") })

/** The body of every refusal. */
export const Problem = record("Problem", "Why the call was refused.", {
  code: text("The reason, for programs."),
  message: text("An English sentence, for developers."),
  retryAfterSeconds: optionalKey(Int).annotateKey({
    description: "Whole seconds until the call may succeed; the same as the header `Retry-After`.",
  }),
  attemptsRemaining: optionalKey(Int).annotateKey({ description: "Only of `wrong_code`." }),
  details: optionalKey(Record(String, Array(Fields.fieldFailure))).annotateKey({
    description: "Only of `invalid_request`: the problems of each invalid field, by its name.",
  }),
})

/** The answer of the host to a right code. */
export const Answer = Unknown.annotate({
  description: "The host's own answer, of any type. It is sent once.",
})
