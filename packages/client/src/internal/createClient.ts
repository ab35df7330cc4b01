/**
 * The public interface of the client.
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
 * A client of the service. Every method resolves, even if the service returns an error or the network fails.
 * The functions can be detached from their objects.
 */
export interface Client {
  readonly verifications: {
    /** Sends a code. Never retries, because a request that failed may have taken effect. */
    readonly send: (
      input: SendVerification,
    ) => Promise<Result<SentVerification, SendVerificationError>>
    /** Checks a code. Never retries, because each wrong code costs an attempt. */
    readonly check: (
      input: CheckVerification,
    ) => Promise<Result<CheckedVerification, CheckVerificationError>>
  }
  readonly messages: {
    /** Sends a message. Never retries, because a request that failed may have taken effect. */
    readonly send: (input: SendMessage) => Promise<Result<SentMessage, SendMessageError>>
    /** Returns a page of the log, newest first. Retries if the service is unreachable or unavailable. */
    readonly list: (input?: ListMessages) => Promise<Result<MessagePage, ListMessagesError>>
    /** Returns one entry of the log by its `id`. Retries if the service is unreachable or unavailable. */
    readonly get: (id: string, options?: CallOptions) => Promise<Result<LogEntry, GetMessageError>>
  }
  /** Returns the available balance. Retries if the service is unreachable or unavailable. */
  readonly balance: (options?: CallOptions) => Promise<Result<Balance, BalanceError>>
}

/** Formats a time. An invalid date is sent as it is, and the service reports the problem. */
const timeText = (time: Date | string | undefined): string | undefined =>
  time instanceof Date && !Number.isNaN(time.getTime()) ? time.toISOString() : time?.toString()

/** Creates a client. Throws a `TypeError` if an option is invalid. */
export const createClient = (options: ClientOptions): Client => {
  // Only the functions hold the settings, so that printing or serializing the client does not show the key.
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
