import { call } from "./call.ts"
import * as Endpoints from "./endpoints.ts"
import type * as Errors from "./errors.ts"
import { type ClientOptions, settingsOf } from "./options.ts"
import type { Result } from "./types.ts"
import type * as Types from "./types.ts"

/**
 * A client of the service. Every method resolves, even if the service returns an error or the network fails.
 * The functions can be detached from their objects.
 */
export interface Client {
  readonly verifications: {
    /** Sends a code. Retries under one idempotency key, so that one code is sent. */
    readonly send: (
      input: Types.SendVerification,
    ) => Promise<Result<Types.SentVerification, Errors.SendVerificationError>>
    /** Checks a code. Never retries, because each wrong code costs an attempt. */
    readonly check: (
      input: Types.CheckVerification,
    ) => Promise<Result<Types.CheckedVerification, Errors.CheckVerificationError>>
    /**
     * Sends the code of a pending request again, which expires as before. Retries under one idempotency key, so that
     * one message is sent.
     */
    readonly resend: (
      input: Types.ResendVerification,
    ) => Promise<Result<Types.ResentVerification, Errors.ResendVerificationError>>
    /** Ends a pending request, so that it no longer counts as pending. Never retries, but you may repeat it. */
    readonly cancel: (
      input: Types.OfRequest,
    ) => Promise<Result<Types.CancelledVerification, Errors.CancelVerificationError>>
    /**
     * Uses a verified request up. Of all calls, exactly one succeeds. Retries under one idempotency key, so that a
     * retry succeeds like the first try.
     */
    readonly consume: (
      input: Types.ConsumeVerification,
    ) => Promise<Result<Types.ConsumedVerification, Errors.ConsumeVerificationError>>
    /** Reads a request and its messages. Retries if the service is unreachable or unavailable. */
    readonly status: (
      input: Types.OfRequest,
    ) => Promise<Result<Types.VerificationStatus, Errors.VerificationStatusError>>
  }
  readonly messages: {
    /** Sends a message. Retries under one idempotency key, so that one message is sent. */
    readonly send: (
      input: Types.SendMessage,
    ) => Promise<Result<Types.SentMessage, Errors.SendMessageError>>
    /** Returns a page of the log, newest first. Retries if the service is unreachable or unavailable. */
    readonly list: (
      input?: Types.ListMessages,
    ) => Promise<Result<Types.MessagePage, Errors.ListMessagesError>>
    /** Returns one entry of the log by its `id`. Retries if the service is unreachable or unavailable. */
    readonly get: (
      id: string,
      options?: Types.CallOptions,
    ) => Promise<Result<Types.LogEntry, Errors.GetMessageError>>
  }
  /** Returns the available balance. Retries if the service is unreachable or unavailable. */
  readonly balance: (
    options?: Types.CallOptions,
  ) => Promise<Result<Types.Balance, Errors.BalanceError>>
}

/** Creates a client. Throws a `TypeError` if an option is invalid. */
export const createClient = (options: ClientOptions): Client => {
  // Only the functions hold the settings, so that printing or serializing the client does not show the key.
  const settings = settingsOf(options)
  return {
    verifications: {
      send: (input) => call(settings, Endpoints.sendVerification, input),
      check: (input) => call(settings, Endpoints.checkVerification, input),
      resend: ({ requestId, ...input }) =>
        call(settings, Endpoints.resendVerification(requestId), input),
      cancel: ({ requestId, ...input }) =>
        call(settings, Endpoints.cancelVerification(requestId), input),
      consume: ({ requestId, ...input }) =>
        call(settings, Endpoints.consumeVerification(requestId), input),
      status: ({ requestId, ...input }) =>
        call(settings, Endpoints.verificationStatus(requestId), input),
    },
    messages: {
      send: (input) => call(settings, Endpoints.sendMessage, input),
      list: (input = {}) => call(settings, Endpoints.listMessages, input),
      get: (id, options = {}) => call(settings, Endpoints.getMessage(id), options),
    },
    balance: (options = {}) => call(settings, Endpoints.balance, options),
  }
}
