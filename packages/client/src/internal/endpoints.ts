/**
 * The endpoints: the names of their input on the wire, the shape of their success, and their errors in the order
 * in which they are tried, those with more members first.
 */
import type {
  BalanceError,
  CheckVerificationError,
  CommonError,
  GetMessageError,
  ListMessagesError,
  SendMessageError,
  SendVerificationError,
} from "./errors.ts"
import type { Answered } from "./exchange.ts"
import type { JsonObject } from "./json.ts"
import type { Reader, WireNames } from "./refusals.ts"
import * as Refusals from "./refusals.ts"
import * as Successes from "./successes.ts"
import type {
  Balance,
  CallOptions,
  CheckedVerification,
  CheckVerification,
  ListMessages,
  LogEntry,
  MessagePage,
  SendMessage,
  SendVerification,
  SentMessage,
  SentVerification,
} from "./types.ts"

/** `In` is the input of a call, `A` its result. */
export interface Endpoint<In extends CallOptions, A, E> {
  readonly method: "GET" | "POST"
  readonly path: string
  /** The fields of the body, or of the query of a GET. */
  readonly wireNames: { readonly [K in Exclude<keyof In, keyof CallOptions>]: string }
  readonly success: (body: JsonObject, answered: Answered) => A | undefined
  readonly refusals: (wireNames: WireNames) => ReadonlyArray<Reader<E>>
}

const common: ReadonlyArray<Reader<CommonError>> = [
  Refusals.unauthorized,
  Refusals.addressNotAllowed,
  Refusals.internalError,
  Refusals.unavailable,
]

export const sendVerification: Endpoint<SendVerification, SentVerification, SendVerificationError> =
  {
    method: "POST",
    path: "/verify",
    wireNames: {
      phoneNumber: "phone_number",
      channel: "channel",
      codeLength: "code_length",
      expirySeconds: "expiry",
      locale: "locale",
      brand: "brand_id",
    },
    success: Successes.sentVerification,
    refusals: (wireNames) => [
      Refusals.invalidRequest(wireNames),
      Refusals.notSendable,
      Refusals.insufficientBalance,
      Refusals.rateLimited,
      Refusals.tooManyPending,
      Refusals.codeNotSent,
      ...common,
    ],
  }

export const checkVerification: Endpoint<
  CheckVerification,
  CheckedVerification,
  CheckVerificationError
> = {
  method: "POST",
  path: "/verify/check",
  wireNames: { requestId: "request_id", code: "code" },
  success: Successes.checkedVerification,
  refusals: (wireNames) => [
    Refusals.wrongCode,
    Refusals.invalidRequest(wireNames),
    Refusals.requestNotFound,
    Refusals.requestExpired,
    Refusals.attemptsExhausted,
    Refusals.rateLimited,
    ...common,
  ],
}

export const sendMessage: Endpoint<SendMessage, SentMessage, SendMessageError> = {
  method: "POST",
  path: "/messages",
  wireNames: { to: "to", text: "message", channel: "channel", brand: "brand_id" },
  success: Successes.sentMessage,
  refusals: (wireNames) => [
    Refusals.invalidRequest(wireNames),
    Refusals.notSendable,
    Refusals.insufficientBalance,
    Refusals.rateLimited,
    Refusals.messageNotSent,
    ...common,
  ],
}

export const listMessages: Endpoint<ListMessages, MessagePage, ListMessagesError> = {
  method: "GET",
  path: "/messages",
  wireNames: { limit: "limit", page: "page", from: "from", to: "to" },
  success: Successes.messagePage,
  refusals: (wireNames) => [Refusals.invalidRequest(wireNames), ...common],
}

export const getMessage = (id: string): Endpoint<CallOptions, LogEntry, GetMessageError> => ({
  method: "GET",
  path: `/messages/${encodeURIComponent(id)}`,
  wireNames: {},
  success: Successes.loggedMessage,
  refusals: () => [Refusals.messageNotFound, ...common],
})

export const balance: Endpoint<CallOptions, Balance, BalanceError> = {
  method: "GET",
  path: "/balance",
  wireNames: {},
  success: Successes.balance,
  refusals: () => common,
}
