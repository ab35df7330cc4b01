import type { Access } from "@countersign/core/engine/Access"
import { Accounts } from "@countersign/core/services/Accounts"
import * as Message from "@countersign/core/domain/messages/Message"
import { Messages } from "@countersign/core/services/Messages"
import * as Money from "@countersign/core/domain/values/Money"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Effect from "effect/Effect"
import type * as Bodies from "../Bodies.ts"
import { iso, json, success } from "./responses.ts"
import { type BodyEndpoint, type Endpoint, makeGuards, type Options } from "./guards.ts"
import * as Input from "./readers.ts"
import { messageDialect } from "./errorResponses.ts"
import { verificationEndpoints } from "./verificationEndpoints.ts"

/** The services that the interface requires. */
export type Requirements = Access | Accounts | Messages | Verifications

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

export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<
  Record<"list" | "get" | "balance", Endpoint> & {
    readonly send: BodyEndpoint
  } & ReturnType<typeof verificationEndpoints>,
  never,
  Requirements
> {
  const accounts = yield* Accounts
  const messages = yield* Messages
  const guards = yield* makeGuards(options)
  const { secured, withBody } = guards

  const send = withBody(
    "send",
    messageDialect,
    (caller, body, request) => {
      const input = { ...Input.sendMessage(body), ...Input.idempotencyKey(request) }
      return Effect.map(messages.send({ ...caller, ...input }), (sent) =>
        success<typeof Bodies.SentMessage>({
          gateway_id: sent.gatewayId,
          to: PhoneNumber.digits(sent.phoneNumber),
          channel: sent.channel,
          status: sent.status,
          credits_remaining: Money.toNumber(sent.balance),
        }),
      )
    },
    { isGuarded: true },
  )

  const list = secured("list", messageDialect, (caller, request) =>
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

  const get = secured("get", messageDialect, (caller, request) =>
    Effect.map(messages.get({ ...caller, id: Input.lastSegment(request.url) }), (message) =>
      success<typeof Bodies.LoggedMessage>(logEntry(message)),
    ),
  )

  const balance = secured("balance", messageDialect, (caller) =>
    Effect.map(accounts.balance(caller), (account) =>
      success<typeof Bodies.Balance>({
        balance: Money.toNumber(account.balance),
        currency: account.currency,
      }),
    ),
  )

  return {
    send,
    list,
    get,
    balance,
    ...verificationEndpoints(yield* Verifications, guards),
  }
})
