/** The errors about sending a message and paying for it. */
import { failureReasons } from "../values/FailureReason.ts"
import {
  error,
  fullSentenceOf,
  money,
  oneOf,
  problem,
  retryAfterSeconds,
  textOrNull,
} from "./ErrorRow.ts"

export class MessageNotFound extends error<MessageNotFound>()("MessageNotFound", {
  code: "message_not_found",
  status: 404,
  params: {},
  sentence: "Message not found",
  meaning: "The message is not in the log of the organization, or retention has deleted it.",
  isFinal: true,
  advice: "Look the message up in the list.",
}) {}

const capitalized = (sentence: string): string =>
  sentence.charAt(0).toUpperCase() + sentence.slice(1)

export class SenderUnusable extends error<SenderUnusable>()("SenderUnusable", {
  code: "sender_unusable",
  status: 400,
  params: { problem },
  sentence: "The sender cannot be used",
  meaning: "The named sender does not exist, is of the wrong kind, or is not approved.",
  advice: "Name another sender, or register this one.",
  isForOperators: true,
  label: "Sender cannot be used",
  body: "NotSendable",
}) {
  override get message(): string {
    return capitalized(this.problem.message)
  }
}

export class NotOnWhatsApp extends error<NotOnWhatsApp>()("NotOnWhatsApp", {
  code: "not_on_whatsapp",
  status: 400,
  params: {},
  sentence: "The recipient is not on WhatsApp",
  meaning: "The recipient has no WhatsApp account. Nothing was sent or charged.",
  advice: "Offer SMS.",
  label: "Not on WhatsApp",
  body: "NotSendable",
}) {}

export class InsufficientBalance extends error<InsufficientBalance>()("InsufficientBalance", {
  code: "insufficient_balance",
  status: 402,
  params: {
    required: money("The price, a decimal such as `0.50`."),
    available: money("The amount that can be spent."),
  },
  sentence: "Insufficient balance",
  more: ": {required} is needed, and {available} is available",
  meaning: "The balance does not cover the price.",
  advice: "Top up with `account.topUp`.",
  isForOperators: true,
  label: "Balance too low",
}) {}

export class SendingFailed extends error<SendingFailed>()("SendingFailed", {
  code: "sending_failed",
  status: 500,
  // 500 is for defects there.
  statuses: { admin: 502 },
  params: {
    status: oneOf(
      ["failed", "unknown"],
      "`failed`: nothing was sent or charged. `unknown`: the message may still arrive, and its price is held until the outcome is known.",
    ),
    reason: oneOf(failureReasons, "Why it was not sent.", "FailureReason"),
    gateway: textOrNull(
      "The gateway that answered last. `null`: none was asked, or its answer is not known here.",
    ),
    vendorCode: textOrNull("The vendor's code of the error, if it has one."),
    vendorMessage: textOrNull(
      "The vendor's text, without the content of the message and without secrets.",
    ),
  },
  by: "status",
  sentence: {
    failed: "The message could not be sent",
    unknown: "It is not known whether the message was sent",
  },
  meaning: "The gateway did not accept the message, or no text could be rendered.",
  advice: "Tell the user to try again; with the status `unknown`, to wait a little first.",
}) {
  override get message(): string {
    const { gateway, reason, vendorMessage } = this
    const sentence = fullSentenceOf(SendingFailed.row, this)
    return gateway === null
      ? `${sentence} (${reason})`
      : `${sentence} (${gateway}, ${reason}): ${vendorMessage ?? ""}`
  }
}

export class RateLimited extends error<RateLimited>()("RateLimited", {
  code: "rate_limited",
  status: 429,
  params: {
    reason: oneOf(
      ["rate", "cooldown", "client", "guesses", "spending", "suspicion"],
      "The exceeded limit. `rate`: too many requests in a window. `client`: too many requests or checks of one client. `cooldown`: the code of the request was sent a moment ago. `guesses`: too many wrong codes for the phone number. `spending`: the daily spending cap of the organization. `suspicion`: codes to numbers with this prefix are denied for now.",
    ),
    retryAfterSeconds,
  },
  by: "reason",
  sentence: {
    rate: "Rate limit exceeded",
    client: "Rate limit exceeded",
    cooldown: "The code was sent a moment ago",
    guesses: "Too many wrong codes for this phone number",
    spending: "Daily spending cap reached",
    suspicion: "No codes are sent to numbers like this one for now",
  },
  meaning:
    "A limit on the number or the cost of requests was reached. Other requests may have used it up again by then.",
  advice:
    "Tell the user to try again in that many seconds; with the reason `spending`, tell your operator.",
  label: "Limit reached",
  labels: {
    rate: "Too many requests",
    client: "Too many requests of a client",
    cooldown: "Sent again too early",
    guesses: "Too many wrong codes",
    spending: "Daily spending cap",
    suspicion: "Fraud rule",
  },
}) {}
