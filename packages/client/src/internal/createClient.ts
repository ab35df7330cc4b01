/**
 * The client as its users see it.
 */
import { call } from "./call.ts"
import * as Endpoints from "./endpoints.ts"
import type {
  BalanceError,
  CheckVerificationError,
  GetMessageError,
  ListMessagesError,
  SendMessageError,
  SendVerificationError,
} from "./errors.ts"
import { type ClientOptions, settingsOf } from "./options.ts"
import type {
  Balance,
  CallOptions,
  CheckedVerification,
  CheckVerification,
  ListMessages,
  LogEntry,
  MessagePage,
  Result,
  SendMessage,
  SendVerification,
  SentMessage,
  SentVerification,
} from "./types.ts"

/**
 * The service, seen from afar. Every method resolves, whatever the service says and whatever the network
 * does. The functions may be taken out of their objects.
 */
export interface Client {
  readonly verifications: {
    /** Sends a code. It goes out once: a call that may have been heard is not repeated. */
    readonly send: (
      input: SendVerification,
    ) => Promise<Result<SentVerification, SendVerificationError>>
    /** Checks a code. Every wrong one costs an attempt, so this goes out once as well. */
    readonly check: (
      input: CheckVerification,
    ) => Promise<Result<CheckedVerification, CheckVerificationError>>
  }
  readonly messages: {
    /** Sends a message. It goes out once: a call that may have been heard is not repeated. */
    readonly send: (input: SendMessage) => Promise<Result<SentMessage, SendMessageError>>
    /** A page of the log, newest first. Tried again where the service cannot be reached. */
    readonly list: (input?: ListMessages) => Promise<Result<MessagePage, ListMessagesError>>
    /** One entry of the log, by its `id`. Tried again where the service cannot be reached. */
    readonly get: (id: string, options?: CallOptions) => Promise<Result<LogEntry, GetMessageError>>
  }
  /** What can still be spent. Tried again where the service cannot be reached. */
  readonly balance: (options?: CallOptions) => Promise<Result<Balance, BalanceError>>
}

/** What is no date goes out as well: the service says what is wrong with it. */
const timeText = (time: Date | string | undefined): string | undefined =>
  time instanceof Date && !Number.isNaN(time.getTime()) ? time.toISOString() : time?.toString()

/** Makes a client. Throws a `TypeError` where an option cannot be meant. */
export const createClient = (options: ClientOptions): Client => {
  // Held by the functions alone: whoever prints or serializes the client sees no key.
  const settings = settingsOf(options)
  return {
    verifications: {
      send: ({ brand, channel, codeLength, expirySeconds, locale, phoneNumber, signal }) =>
        call(settings, Endpoints.sendVerification, {
          body: {
            phone_number: phoneNumber,
            channel,
            code_length: codeLength,
            expiry: expirySeconds,
            locale,
            brand_id: brand,
          },
          signal,
        }),
      check: ({ code, requestId, signal }) =>
        call(settings, Endpoints.checkVerification, {
          body: { request_id: requestId, code },
          signal,
        }),
    },
    messages: {
      send: ({ brand, channel, signal, text, to }) =>
        call(settings, Endpoints.sendMessage, {
          body: { to, message: text, channel, brand_id: brand },
          signal,
        }),
      list: ({ from, limit, page, signal, to } = {}) =>
        call(settings, Endpoints.listMessages, {
          query: {
            limit: limit?.toString(),
            page: page?.toString(),
            from: timeText(from),
            to: timeText(to),
          },
          signal,
        }),
      get: (id, { signal } = {}) => call(settings, Endpoints.getMessage(id), { signal }),
    },
    balance: ({ signal } = {}) => call(settings, Endpoints.balance, { signal }),
  }
}
