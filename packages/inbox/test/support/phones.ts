/** Messages to the phones of an inbox, and requests to it, all in the time of the test. */
import { MessageId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { Gateway, type GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import * as Inbox from "../../src/effect.ts"
import type * as Plain from "../../src/index.ts"

let sent = 0

export interface Sent {
  readonly to?: string
  readonly text?: string
  readonly code?: string
  readonly channel?: GatewayMessage["channel"]
}

/** A message with an id of its own: the next in the order of time. */
export const messageOf = ({
  channel = "sms",
  code,
  text = code === undefined ? "Hello" : `${code} is your code`,
  to = "+8801712345678",
}: Sent): GatewayMessage => {
  sent += 1
  return {
    token: MessageId(`msg_${sent}`),
    ref: { organization: OrganizationId("acme"), sequence: sent },
    purpose: code === undefined ? "message" : "verification",
    class: "transactional",
    channel,
    phoneNumber: PhoneNumber.fromE164(to),
    sender: "8809600000000",
    text: Redacted.make(text),
    ...(code === undefined ? undefined : { code: Redacted.make(code) }),
  }
}

/** Sends a message through the gateway of the context, and returns its id. */
export const send = (message: Sent = {}) =>
  Effect.gen(function* () {
    const outgoing = messageOf(message)
    yield* (yield* Gateway).send(outgoing)
    return outgoing.token
  })

const isPort = (gateway: object): gateway is Gateway["Service"] => "send" in gateway

/** Sends a message through the gateway that an inbox gives to an engine. */
export const sendThrough = async ({ gateways: { sms } }: Plain.Inbox, message: Sent) => {
  if (!isPort(sms)) throw new TypeError("The gateway cannot send")
  await Effect.runPromise(sms.send(messageOf(message)))
}

/** Asks the inbox of the context: `ask("/inbox/messages")`. */
export const ask = Effect.fnUntraced(function* (
  path: string,
  init: RequestInit = {},
  options: Inbox.RouteOptions = {},
) {
  const handler = yield* Inbox.make(options)
  const request = HttpServerRequest.fromWeb(new Request(`http://localhost:3000${path}`, init))
  const response = yield* handler.pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, request),
    Effect.scoped,
  )
  return HttpServerResponse.toWeb(response)
})

/** Like `ask`, and reads the JSON of the answer. */
export const askJson = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const answer = yield* ask(`/inbox${path}`, init)
  const body: unknown = yield* Effect.promise(() => answer.json())
  return { status: answer.status, body }
})
