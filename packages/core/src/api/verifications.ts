/** The operations on one-time codes, and what they result in inside the engine. */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { Message } from "../domain/messages/Message.ts"
import type { AccessError, Caller } from "./Caller.ts"
import * as Fields from "./Fields.ts"
import { search, status } from "./messages.ts"
import { type ErrorOf, get, operation, post } from "./Operation.ts"
import * as Records from "./verificationRecords.ts"

const { Array, Boolean, Int, String } = Schema
const { field, optional, optionalText, record, text, time } = Fields

const one = {
  organization: Fields.organization,
  requestId: text("The id of the request, from `send`."),
}

const ofRequest = record("OfRequest", "Selects a verification request.", one)

const client = optionalText(
  "Your own name for the visitor: an address, a device or a session; 1 to 128 characters. Only a keyed digest of it is stored. Limits per client apply to it, and a client that has verified the number is no stranger to it.",
)

const purpose = optionalText(
  "The purpose that the request was sent with. Without it, only a request without a purpose is found.",
)

const consumption = {
  ...one,
  purpose,
  audience: optionalText(
    "The service that accepts the proof, at most 200 characters.",
    "the audience of the host's settings",
  ),
  idempotencyKey: Fields.idempotencyKey,
}

const path = "/organizations/:organization/verifications"

const audit = (action: string) => ({ action: `verification.${action}`, target: "requestId" })

const sendErrors = [
  "invalid_request",
  "rate_limited",
  "not_on_whatsapp",
  "insufficient_balance",
  "sending_failed",
  "idempotency_mismatch",
  "idempotency_in_flight",
] as const

const checkErrors = [
  "wrong_code",
  "already_consumed",
  "attempts_exhausted",
  "request_expired",
  "request_not_found",
  "rate_limited",
  "invalid_request",
] as const

/** The operations on verifications. */
export const verifications = {
  send: operation({
    summary: "Send a code",
    meaning: "Waits until the gateway has taken the message, or may have taken it.",
    input: Fields.input("SendVerification", "A code to send.", {
      phoneNumber: text("E.164 with its plus; Bangla digits are read as ASCII digits."),
      channel: optional(
        Fields.channel,
        "The channel.",
        "the only one of `verifications.channels`; otherwise `sms`, or `whatsapp` if the fallback has `whatsappFirst` and the organization a sender there",
      ),
      codeLength: optional(Int, "Number of digits, 4 to 10.", "6"),
      expiresIn: optional(
        Fields.duration,
        "How long the code is valid: whole seconds, from 1 minute to 1 hour.",
        '`"5 minutes"`',
      ),
      locale: optionalText(
        "`en-us`, `bn-bd`, or a locale of your own texts.",
        "the default locale of the texts",
      ),
      sender: Fields.sender,
      client,
      purpose: optionalText(
        "The purpose of the verification, such as `login`: a-z, 0-9, `_`, `.` and `-`, at most 32 characters.",
      ),
      payment: optional(
        Schema.Struct({ amount: String, payee: String }).annotate({ named: "Payment" }),
        "The payment that the code approves. Its amount and payee are in the text, 1 to 64 characters each.",
      ),
      requestId: optionalText("An id from `newRequestId`, which no request has yet.", "a new one"),
      metadata: optional(
        Fields.metadata,
        "Returned with the status, in events and when the request is consumed. At most 1,024 bytes as JSON.",
      ),
      idempotencyKey: Fields.idempotencyKey,
    }),
    output: Records.sent,
    errors: [...sendErrors, "too_many_pending"],
    admin: post("verifications.send", "admin", path, {
      audit: { action: "verification.sent", target: "phoneNumber" },
      omits: ["requestId"],
      output: record(
        "SentVerification",
        "A code that was sent.",
        Struct.omit(Records.sent.fields, ["resendAt", "resendsRemaining"]),
      ),
      example: { phoneNumber: "+8801712345678", channel: "sms", codeLength: 6 },
    }),
  }),
  verify: operation({
    summary: "Check a code and use it up, in one commit",
    meaning:
      "Sign in the `phoneNumber` that it resolves with. It resolves once, except to a repeat with its `idempotencyKey`, which must not come from a browser. A wrong code costs an attempt.",
    input: record("VerifyCode", "A code that is checked, and the request that it uses up.", {
      ...consumption,
      code: Fields.code,
      client,
    }),
    output: Records.verifiedNumber,
    errors: [...checkErrors, "idempotency_mismatch"],
  }),
  check: operation({
    summary: "Check a code",
    meaning:
      "Does not use it up, for hosts that call `consume` later. A wrong code costs an attempt. A verified request stays verified, and later checks of it succeed without comparing the code; see `isFirst`.",
    input: record("CheckVerification", "A code to check.", {
      ...one,
      requestId: optionalText("Required without `phoneNumber`."),
      phoneNumber: optionalText(
        "Without `requestId`: selects the newest pending request of this number, E.164 with its plus.",
      ),
      code: Fields.code,
      client,
      purpose,
    }).annotate({ named: "CheckCode" }),
    output: record("CheckedVerification", "A verified request.", {
      requestId: field(Records.requestId, "The id of the request."),
      phoneNumber: field(Fields.phoneNumber, "The verified phone number, E.164 with its plus."),
      verifiedAt: field(time, "The same at every repeated check of the request."),
      isFirst: field(
        Boolean,
        "Whether this check verified the request. Later ones succeed with any code: begin no session for them.",
      ),
    }),
    errors: checkErrors,
    admin: post("verifications.check", "admin", `${path}/:requestId/check`, {
      audit: audit("checked"),
      omits: ["phoneNumber", "client", "purpose"],
      example: { code: "123456" },
    }),
  }),
  resend: operation({
    summary: "Send the code again",
    meaning:
      "At most three times and 30 seconds after the last message by default. The code expires as before.",
    input: record("ResendVerification", "A code to send again.", {
      ...one,
      channel: optional(Fields.channel, "The channel.", "the channel of the last message"),
      client,
      idempotencyKey: Fields.idempotencyKey,
    }),
    output: Records.sent,
    errors: [
      ...sendErrors,
      "request_not_found",
      "already_verified",
      "attempts_exhausted",
      "request_expired",
      "resends_exhausted",
    ],
    admin: post("verifications.resend", "admin", `${path}/:requestId/resend`, {
      audit: audit("resent"),
      omits: ["client", "idempotencyKey"],
      output: record(
        "ResentVerification",
        "A code that was sent again.",
        Struct.omit(Records.sent.fields, ["resendAt"]),
      ),
      example: { channel: "sms" },
    }),
  }),
  cancel: operation({
    summary: "Cancel a verification",
    meaning: "It no longer counts as pending. Safe to repeat.",
    input: ofRequest,
    output: Records.failed,
    errors: ["invalid_request", "request_not_found", "already_verified", "request_expired"],
    admin: post("verifications.cancel", "support", `${path}/:requestId/cancel`, {
      audit: audit("cancelled"),
      output: record(
        "CancelledVerification",
        "A request that was cancelled.",
        Struct.pick(Records.failed.fields, ["requestId", "phoneNumber", "status"]),
      ),
    }),
  }),
  consume: operation({
    summary: "Use a verified request up",
    meaning: "Of all calls, exactly one resolves.",
    input: record("ConsumeVerification", "A verified request to use up.", consumption),
    output: Records.verifiedNumber,
    errors: [
      "invalid_request",
      "request_not_found",
      "not_verified",
      "already_consumed",
      "attempts_exhausted",
      "request_expired",
      "idempotency_mismatch",
    ],
  }),
  get: operation({
    summary: "Read a request without changing it",
    meaning: "",
    input: ofRequest,
    output: Records.verification,
    errors: ["request_not_found"],
  }),
  list: operation({
    summary: "Search verifications",
    meaning:
      "Newest first, by their first message. Codes that wait in the outbox come before all others. With a `phoneNumber`, so do those that ended there, as `failed`.",
    input: Fields.input(
      "ListVerifications",
      "Selects verification requests. A request whose code was sent is found while its first message is in the log.",
      {
        ...search,
        statuses: optional(Array(Records.found.fields.status), "Any of these.", "any status"),
        channel: optional(Fields.channel, "The channel of its newest message.", "any channel"),
        purpose: optionalText("The purpose that the code was sent for.", "any purpose, or none"),
        deliveries: optional(
          Array(status),
          "Any of these statuses of its newest message.",
          "any status, or none",
        ),
      },
    ),
    output: Records.listedVerifications,
    errors: ["invalid_request"],
    listing: { items: "verifications", from: "cursor" },
    admin: get("verifications.search", "read", path, { output: Records.foundVerifications }),
  }),
  history: operation({
    summary: "Read what has happened to a verification",
    meaning: "Tells why a person got no code: the request, its messages and its timeline.",
    input: ofRequest,
    output: record("VerificationHistory", "A request with its messages and its timeline.", {
      verification: Records.verification,
      ...Records.history,
    }),
    errors: ["request_not_found"],
    admin: get("verifications.get", "read", `${path}/:requestId`, {
      note: "It never contains the code.",
      output: Records.verificationHistory,
    }),
  }),
  resetGuesses: operation({
    summary: "Forget the wrong codes for a phone number",
    meaning: "Its checks are allowed again. First make sure in another way that its owner asks.",
    input: Fields.ofPhoneNumber,
    output: Schema.Void,
    errors: ["invalid_request"],
    admin: post(
      "verifications.resetGuesses",
      "support",
      "/organizations/:organization/guesses/reset",
      {
        extra: { reason: String },
        example: { phoneNumber: "+8801712345678", reason: "the owner called" },
      },
    ),
  }),
}

type Rows = typeof verifications

type Input<Name extends keyof Rows> = Caller & Omit<Rows[Name]["input"]["Type"], keyof Caller>

interface OfPurpose {
  /** A request with another purpose is not found. \`null\`: only one without a purpose. @defaultValue any purpose */
  readonly purpose?: string | null | undefined
}

export type SendVerification = Input<"send">
export type ResendVerification = Input<"resend">

export type CheckVerification = Omit<Input<"check">, "purpose"> & OfPurpose

export type ConsumeVerification = Omit<Input<"consume">, "purpose"> & OfPurpose

export type VerifyCode = Input<"verify">
export type ResetGuesses = Input<"resetGuesses">
export type SearchVerifications = Input<"list">

export type SentVerification = typeof Records.sent.Type & {
  readonly status: "pending"
  readonly expiresInSeconds: number
}

export type CheckedVerification = Rows["check"]["output"]["Type"] & { readonly status: "verified" }
export type CancelledVerification = Rows["cancel"]["admin"]["output"]["Type"]

export type ConsumedVerification = typeof Records.verifiedNumber.Type & {
  readonly status: "verified"
}

export type { FoundVerification, FoundVerifications } from "./verificationRecords.ts"

export type VerificationStatus = Records.FoundVerification & {
  /** The messages with the code that are in the log, oldest first. */
  readonly messages: ReadonlyArray<Message>
  /** When it was read, by the clock of the store. */
  readonly now: number
}

type Failure<Name extends keyof Rows> = ErrorOf<Rows[Name]> | AccessError

export type SendError = Failure<"send">
export type ResendError = Failure<"resend">

/** Why the code of a request is not sent again, by its state. */
export type NotResent = Exclude<ResendError, SendError>

export type StatusError = Failure<"get">
export type CancelError = Failure<"cancel">
export type ConsumeError = Failure<"consume">
export type VerifyError = Failure<"verify">
export type CheckError = Failure<"check">
