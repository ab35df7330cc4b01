import { Access, type Caller } from "@countersign/core/services/Access"
import { Accounts } from "@countersign/core/services/Accounts"
import { Unauthorized } from "@countersign/core/domain/Errors"
import * as Message from "@countersign/core/domain/Message"
import { Messages } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/Money"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import { Verifications } from "@countersign/core/services/Verifications"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import type * as Bodies from "../Bodies.ts"
import { BodyReader } from "../BodyReader.ts"
import type { AdmissionGate } from "../AdmissionGate.ts"
import { overloaded, json, unauthorized } from "./answers.ts"
import { bearerKey } from "./bearerKey.ts"
import * as Input from "./input.ts"
import { type JsonObject, jsonReader } from "./jsonBody.ts"
import * as Refusals from "./refusals.ts"
import { messageDialect, verificationDialect } from "./refusals.ts"

/** Responds to one kind of request. Errors of the engine become responses as well. */
export type Endpoint = (request: HttpServerRequest) => Effect.Effect<HttpServerResponse>

/** Responds to an authenticated caller. */
type Answer<Input> = (
  caller: Caller,
  input: Input,
) => Effect.Effect<HttpServerResponse, Refusals.EndpointError>

export interface Options {
  readonly guardAllEndpoints: boolean
  readonly maxBodyBytes: number
  readonly addressOf: (request: HttpServerRequest) => string
  /** The gate that learns which keys are valid. */
  readonly gate: AdmissionGate | undefined
}

/** The services that the interface requires. */
export type Requirements = Access | Accounts | Messages | Verifications

const iso = (epochMillis: number): string => new Date(epochMillis).toISOString()

const keyOf = (request: HttpServerRequest): Redacted.Redacted<string> | undefined => {
  const key = bearerKey(request.headers["authorization"])
  return key === undefined ? undefined : Redacted.make(key, { label: "api-key" })
}

/** Returns the response of an endpoint whose body has no members besides `data`. */
const success = <Body extends { readonly Encoded: { readonly data: object } }>(
  data: Body["Encoded"]["data"],
  headers?: Readonly<Record<string, string>>,
): HttpServerResponse => json(200, { success: true, data }, headers)

const logEntry = (message: Message.Message): typeof Bodies.LogEntry.Encoded => ({
  id: Message.logId(message),
  recipient: PhoneNumber.digits(message.phoneNumber),
  message: message.text,
  channel: message.logChannel,
  status: message.status,
  price: Money.format(Message.price(message)),
  gatewayId: message.gatewayId,
  errorMessage: message.error,
  createdAt: iso(message.createdAt),
})

export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<
  Record<"send" | "list" | "get" | "balance" | "verify" | "check", Endpoint>,
  never,
  Requirements
> {
  const access = yield* Access
  const accounts = yield* Accounts
  const messages = yield* Messages
  const verifications = yield* Verifications
  const readBody = jsonReader(yield* BodyReader, options.maxBodyBytes)

  /** Responds on behalf of the key's organization. Checks the key before everything else. */
  const secured =
    (
      dialect: Refusals.Dialect,
      answer: Answer<HttpServerRequest>,
      isGuarded: boolean = options.guardAllEndpoints,
    ): Endpoint =>
    (request) => {
      const key = keyOf(request)
      if (key === undefined) return Effect.succeed(unauthorized)
      return Effect.catch(
        Effect.flatMap(access.authenticate(key), (caller) => {
          if (options.gate?.authenticate(request) === false) return Effect.succeed(overloaded)
          return answer(
            isGuarded ? { ...caller, address: options.addressOf(request) } : caller,
            request,
          )
        }),
        (error) => {
          if (error instanceof Unauthorized) options.gate?.forget(request)
          return Effect.succeed(Refusals.ofError(error, dialect))
        },
      )
    }

  /** Passes the body on, or refuses it, after the caller is authenticated. */
  const withBody = (
    dialect: Refusals.Dialect,
    answer: Answer<JsonObject>,
    isGuarded?: boolean,
  ): Endpoint =>
    secured(
      dialect,
      (caller, request) =>
        Effect.matchEffect(readBody(request), {
          onFailure: (problem) =>
            Effect.as(access.confirm(caller), Refusals.ofBody(problem, dialect)),
          onSuccess: (body) => answer(caller, body),
        }),
      isGuarded,
    )

  const send = withBody(
    messageDialect,
    (caller, body) =>
      Effect.map(messages.send({ ...caller, ...Input.sendMessage(body) }), (sent) =>
        success<typeof Bodies.SentMessage>({
          gateway_id: sent.gatewayId,
          to: PhoneNumber.digits(sent.phoneNumber),
          channel: sent.channel,
          status: sent.status,
          credits_remaining: Money.toNumber(sent.balance),
        }),
      ),
    true,
  )

  const list = secured(messageDialect, (caller, request) =>
    Effect.map(messages.list({ ...caller, ...Input.listMessages(request.url) }), (found) =>
      json<typeof Bodies.MessageLog.Encoded>(200, {
        success: true,
        data: found.messages.map(logEntry),
        pagination: {
          page: found.page,
          limit: found.limit,
          total: found.total,
          total_pages: found.totalPages,
        },
      }),
    ),
  )

  const get = secured(messageDialect, (caller, request) =>
    Effect.map(messages.get({ ...caller, id: Input.lastSegment(request.url) }), (message) =>
      success<typeof Bodies.LoggedMessage>(logEntry(message)),
    ),
  )

  const balance = secured(messageDialect, (caller) =>
    Effect.map(accounts.balance(caller), (account) =>
      success<typeof Bodies.Balance>({
        balance: Money.toNumber(account.balance),
        currency: account.currency,
      }),
    ),
  )

  const verify = withBody(verificationDialect, (caller, body) =>
    Effect.map(verifications.send({ ...caller, ...Input.sendVerification(body) }), (sent) =>
      success<typeof Bodies.SentVerification>({
        request_id: sent.requestId,
        to: sent.phoneNumber,
        channel: sent.channel,
        status: sent.status,
        expires_in: sent.expiresInSeconds,
      }),
    ),
  )

  const check = withBody(verificationDialect, (caller, body) =>
    Effect.map(verifications.check({ ...caller, ...Input.checkVerification(body) }), (checked) =>
      success<typeof Bodies.CheckedVerification>(
        {
          request_id: checked.requestId,
          to: checked.phoneNumber,
          status: checked.status,
          verified_at: iso(checked.verifiedAt),
        },
        checked.isFirst ? { "countersign-first": "true" } : undefined,
      ),
    ),
  )

  return { send, list, get, balance, verify, check }
})
