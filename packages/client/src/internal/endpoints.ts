/**
 * The responses of each endpoint: the shape of its success, and its errors in the order in which they are
 * tried, those with more members first.
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
  CheckedVerification,
  LogEntry,
  MessagePage,
  SentMessage,
  SentVerification,
} from "./types.ts"

export interface Endpoint<A, E> {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly success: (body: JsonObject, answered: Answered) => A | undefined
  readonly refusals: ReadonlyArray<Reader<E>>
}

const common: ReadonlyArray<Reader<CommonError>> = [
  Refusals.unauthorized,
  Refusals.addressNotAllowed,
  Refusals.internalError,
  Refusals.unavailable,
]

const verificationNames: WireNames = {
  phone_number: "phoneNumber",
  code_length: "codeLength",
  expiry: "expirySeconds",
  brand_id: "brand",
}

export const sendVerification: Endpoint<SentVerification, SendVerificationError> = {
  method: "POST",
  path: "/verify",
  success: Successes.sentVerification,
  refusals: [
    Refusals.invalidRequest(verificationNames),
    Refusals.notSendable,
    Refusals.insufficientBalance,
    Refusals.rateLimited,
    Refusals.tooManyPending,
    Refusals.codeNotSent,
    ...common,
  ],
}

export const checkVerification: Endpoint<CheckedVerification, CheckVerificationError> = {
  method: "POST",
  path: "/verify/check",
  success: Successes.checkedVerification,
  refusals: [
    Refusals.wrongCode,
    Refusals.invalidRequest({ request_id: "requestId" }),
    Refusals.requestNotFound,
    Refusals.requestExpired,
    Refusals.attemptsExhausted,
    Refusals.rateLimited,
    ...common,
  ],
}

export const sendMessage: Endpoint<SentMessage, SendMessageError> = {
  method: "POST",
  path: "/messages",
  success: Successes.sentMessage,
  refusals: [
    Refusals.invalidRequest({ message: "text", brand_id: "brand" }),
    Refusals.notSendable,
    Refusals.insufficientBalance,
    Refusals.rateLimited,
    Refusals.messageNotSent,
    ...common,
  ],
}

export const listMessages: Endpoint<MessagePage, ListMessagesError> = {
  method: "GET",
  path: "/messages",
  success: Successes.messagePage,
  refusals: [Refusals.invalidRequest({}), ...common],
}

export const getMessage = (id: string): Endpoint<LogEntry, GetMessageError> => ({
  method: "GET",
  path: `/messages/${encodeURIComponent(id)}`,
  success: Successes.loggedMessage,
  refusals: [Refusals.messageNotFound, ...common],
})

export const balance: Endpoint<Balance, BalanceError> = {
  method: "GET",
  path: "/balance",
  success: Successes.balance,
  refusals: common,
}
