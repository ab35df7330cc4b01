/** The operations on messages, on the log, and on what has happened to a message. */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Domain from "../domain/messages/Message.ts"
import { messageStatuses } from "../domain/messages/MessageStatus.ts"
import { failureReasons } from "../domain/values/FailureReason.ts"
import type { AccessError, Caller } from "./Caller.ts"
import * as Fields from "./Fields.ts"
import { type ErrorOf, get, operation, post } from "./Operation.ts"
import { messageReport } from "./reports.ts"

const { Array, Boolean, Int, Literals, NullOr, String } = Schema
const { field, money, optional, optionalText, record, text, textOrNull, time, timeOrNull } = Fields

export const status = Literals(messageStatuses).annotate({ named: "MessageStatus" })

const failureReason = NullOr(Literals(failureReasons).annotate({ named: "FailureReason" }))

const logEntryRecord = record("LogEntry", "One message of the log.", {
  id: text("The id for `messages.get`."),
  sequence: field(Int, "The position in the log, from 1. Events and the ledger refer to it."),
  phoneNumber: text("E.164 with its plus; `erased:` and its country once it was erased."),
  text: text("The text; the code of a verification is masked. Empty once it was erased."),
  channel: field(Fields.channel, "The channel that carries it."),
  sender: text("The masking name, the number, or the id of the profile that sent it."),
  class: field(Fields.messageClass, "Transactional, or promotional."),
  batch: field(textOrNull, "The batch that it belongs to; `null` for none."),
  requestId: field(textOrNull, "The verification request that the message belongs to."),
  status: field(status, "The status of the message."),
  price: field(money, 'The price, a decimal; `"0.00"` after a refund.'),
  gateway: text("The gateway that took the message or was chosen for it."),
  gatewayId: field(
    textOrNull,
    "The gateway's id of the message; `null` before the gateway has taken it.",
  ),
  error: field(textOrNull, "The text of the vendor, or of the engine where no vendor was asked."),
  failureReason: field(
    failureReason,
    "Why the message did not arrive, or why its outcome is not known.",
  ),
  vendorCode: field(textOrNull, "The vendor's code of the error."),
  createdAt: field(time, "When it was charged."),
}).annotate({ named: "Message" })

export const logEntryFields = logEntryRecord.fields

export const logEntry = Fields.view(logEntryRecord, Domain.shown)

const step = <const Kind extends string, const Members extends Schema.Struct.Fields>(
  kind: Kind,
  members: Members,
) => Schema.Struct({ kind: Schema.Literal(kind), at: timeOrNull, ...members })

const ofMessage = { messageSequence: field(Int, "The position of the message in the log.") }

const ofGateway = { ...ofMessage, gateway: String }

const amount = { ...ofMessage, amount: money }

const problem = {
  ...ofGateway,
  reason: field(textOrNull, "The text of the vendor."),
  failureReason,
  vendorCode: textOrNull,
}

const timelineStep = Schema.Union([
  step("queued", {
    sendAt: field(timeOrNull, "When it is to be sent; `null`: at once."),
  }),
  step("requested", { purpose: textOrNull, expiresAt: time }),
  step("resent", ofMessage),
  step("fallback", ofMessage),
  step("sent_again", ofMessage),
  step("created", { ...ofMessage, channel: Fields.channel, sender: String }),
  step("held", amount),
  step("attempt", {
    ...ofMessage,
    attempt: field(Int, "2 and up: a node stopped, and another one took the message over."),
  }),
  step("accepted", { ...ofGateway, gatewayId: textOrNull }),
  step("unconfirmed", problem),
  step("report", {
    ...ofGateway,
    status: messageReport.fields.status,
    detail: textOrNull,
    contradicts: field(
      Boolean,
      "Whether it came after another final outcome. Then it moved no money.",
    ),
  }),
  step("contradicted", { ...ofMessage, reason: textOrNull }),
  step("settled", {
    ...problem,
    status: field(status, "`unknown`: no report came before the deadline."),
  }),
  step("captured", amount),
  step("refunded", amount),
  step("wrong_codes", {
    count: field(Int, "The difference to the number of attempts that a new request has now."),
    attemptsRemaining: Int,
  }),
  step("verified", {}),
  step("consumed", {}),
  step("failed", {
    reason: field(
      NullOr(Literals(["attempts", "sending", "refused"])),
      "`null`: not known; the request may have been cancelled then.",
    ),
    code: field(textOrNull, "The code of the error, if it was refused after it was queued."),
  }),
  step("cancelled", {}),
  step("expired", {}),
]).annotate({
  identifier: "TimelineStep",
  documentation:
    "One thing that has happened to a message or a request. `at` is `null` if its time is not known; the step is at its place nevertheless. `fallback`: the code was sent by SMS, because the message before did not arrive. `sent_again`: it is not known whether a caller requested it. `unconfirmed`: the gateway gave no clear answer. `contradicted`: the last contradiction, if no report of these contradicts. `captured` and `refunded`: the price was charged for good, or given back.",
})

export const timeline = Array(timelineStep).annotate({ description: "In order of time." })

const history = record("MessageHistory", "A message with its reports and its timeline.", {
  message: logEntry,
  reports: field(
    Array(messageReport),
    "The first 20 reports on the message, in the order of their arrival.",
  ),
  timeline,
  meaning: field(
    textOrNull,
    "The meaning of the vendor's code, from the vendor's table; `null` if there is no code, or it is not in the table.",
  ),
})

const send = {
  phoneNumber: text("E.164, with or without its plus."),
  text: text("1 to 1,600 characters, stored and sent unchanged."),
  channel: optional(Fields.channel, "The channel.", "`sms`"),
}

const segmentCount = Schema.Struct({
  encoding: Literals(["gsm7", "ucs2"]),
  units: Int,
  segments: Int,
  remaining: Int,
}).annotate({ named: "Count" })

/** The members that select rows in both searches. */
export const search = {
  phoneNumber: optionalText("The recipient: E.164, with or without its plus.", "any phone number"),
  ...Fields.times,
  cursor: Fields.cursor,
  limit: optional(
    Int.annotate({ bounds: { min: 1, max: 1_000 } }),
    "Maximum number of rows in the page, 1 to 200.",
    "50",
  ),
}

const path = "/organizations/:organization/messages"

const messageRef = Fields.input(
  "MessageRef",
  "Identifies a message of the log: by its id, or by its position.",
  {
    id: optionalText("The `id` of a log entry."),
    sequence: optional(Int, "The message's position in the log."),
  },
)

const accepted = {
  gatewayId: text(
    "The gateway's id of the message; the message's own id if only a report has confirmed the delivery.",
  ),
  phoneNumber: field(Fields.phoneNumber, "E.164 with its plus."),
  channel: field(Fields.channel, "The channel that carries it."),
  balance: field(money, "The available balance."),
}

/** The operations on messages. */
export const messages = {
  send: operation({
    summary: "Send a message",
    meaning: "Waits until the gateway has taken it.",
    input: Fields.input("SendMessage", "A message to send.", {
      ...send,
      class: optional(
        Fields.messageClass,
        "`promotional`: an advertisement, which waits in quiet hours and does not go to numbers that have opted out.",
        "`transactional`",
      ),
      sender: Fields.sender,
      idempotencyKey: Fields.idempotencyKey,
    }),
    output: record("SentMessage", "A message that the gateway accepted.", {
      ...Struct.pick(logEntryFields, ["id", "sequence", "status", "price"]),
      ...accepted,
    }),
    errors: [
      "invalid_request",
      "not_on_whatsapp",
      "opted_out",
      "sender_unusable",
      "rate_limited",
      "insufficient_balance",
      "sending_failed",
      "idempotency_mismatch",
      "idempotency_in_flight",
    ],
    admin: post("messages.send", "admin", path, {
      note: "It costs its price, and is audited.",
      audit: { action: "message.sent", target: "phoneNumber" },
      output: record("SentMessage", "A message that the gateway accepted.", accepted),
      example: { phoneNumber: "+8801712345678", text: "Your parcel has arrived." },
    }),
  }),
  preview: operation({
    summary: "Read the price that `send` would charge, and the segments",
    meaning: "Sends nothing and counts against no limit.",
    input: Fields.input("PreviewMessage", "A text whose price is wanted.", {
      ...send,
      phoneNumber: optionalText(
        "The recipient. A test number costs nothing.",
        "any other phone number",
      ),
    }),
    output: record("MessagePreview", "The length and the price of a text.", {
      segments: Fields.orNull(segmentCount),
      price: field(money, "A decimal."),
      currency: text("ISO 4217."),
    }),
    errors: ["invalid_request"],
    admin: post("messages.preview", "read", "/organizations/:organization/message-preview", {
      example: { phoneNumber: "+8801712345678", text: "Your parcel has arrived." },
    }),
  }),
  list: operation({
    summary: "Search messages",
    meaning: "Newest first, including verification messages.",
    input: Fields.input(
      "ListMessages",
      "Selects messages of the log. All given fields have to match.",
      {
        ...search,
        statuses: optional(Array(status), "Any of these.", "any status"),
        gateway: optionalText(
          "The name of the gateway that took the message or was chosen for it. Required for `gatewayId`.",
        ),
        gatewayId: optionalText(
          "The gateway's id of the message. Without `phoneNumber`, it finds the message that a report with this id would find: a message that was open when the gateway named it. It finds the message until the gateway uses the id again.",
        ),
        channel: optional(Fields.channel, "The channel of the message.", "any channel"),
        sender: optionalText("The sender, as the log has it.", "any sender"),
        batch: optionalText("The id of a batch.", "any message"),
        reasons: optional(
          Array(Literals(failureReasons)),
          "Any of these reasons for which a message did not arrive.",
          "any reason, or none",
        ),
      },
    ),
    output: record(
      "FoundMessages",
      "A page of the log. It examines a limited number of messages, so it may have fewer rows than `limit`, or none, although there is a next page.",
      { messages: field(Array(logEntry), "Newest first."), next: Fields.next },
    ),
    errors: ["invalid_request"],
    listing: { items: "messages", from: "cursor" },
    admin: get("messages.search", "read", path),
  }),
  count: operation({
    summary: "Count the messages of a period",
    meaning: "Exactly.",
    input: Fields.input("CountMessages", "A period of the log.", { ...Fields.times }),
    output: Int,
    errors: ["invalid_request"],
  }),
  history: operation({
    summary: "Read what has happened to a message",
    meaning: "The message, the reports on it, and its timeline.",
    input: messageRef,
    output: history,
    errors: ["message_not_found"],
  }),
  get: operation({
    summary: "Read one entry of the log",
    meaning: "",
    input: messageRef,
    output: logEntry,
    errors: ["message_not_found"],
  }),
}

/** The operation of the admin API that finds a message by its id or its position. */
export const messageHistory = {
  read: operation({
    summary: "Read what has happened to a message",
    meaning: "",
    input: Fields.input("GetMessage", "Selects a message.", {
      id: text("The `id` of a log entry."),
    }),
    output: history,
    errors: ["message_not_found"],
    admin: get("messages.get", "read", `${path}/:id`, {
      note: "`id` may also be its `sequence`, as in entries of the ledger.",
    }),
  }),
}

type Rows = typeof messages

type Input<Name extends keyof Rows> = Caller & Omit<Rows[Name]["input"]["Type"], keyof Caller>

type Failure<Name extends keyof Rows> = ErrorOf<Rows[Name]> | AccessError

export type SendMessage = Input<"send">

export type SentMessage = Omit<Rows["send"]["output"]["Type"], "status"> & {
  readonly status: "delivered"
  readonly logStatus: Domain.Status
}

export type SendMessageError = Failure<"send">
export type PreviewMessage = Input<"preview">
export type GetMessage = Input<"get">
export type SearchMessages = Input<"list">
export type FoundMessages = Rows["list"]["output"]["Type"]
export type SearchError = Failure<"list">
