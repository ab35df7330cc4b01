/**
 * SMSGate (capcom6): SMS from the SIM of an Android phone, through its cloud, a private server, or the phone
 * itself.
 *
 * https://docs.sms-gate.app
 */
import type {
  GatewayOutcome,
  RejectionReason,
  ReportStatus,
} from "@countersign/core/domain/messages/GatewayOutcome"
import type { GatewayMessage, LookupRequest } from "@countersign/core/ports/Gateway"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Callback } from "./Adapter.ts"
import { layerConfigOf, layerOf, optional, optionalText } from "./internal/adapter.ts"
import { inUnits, millis } from "./internal/durations.ts"
import { type Answer, lookUp } from "./internal/exchange.ts"
import { make as httpVendor, type Vendor } from "./HttpVendor.ts"
import { decoder, fieldsAt, jsonDecoder } from "./internal/json.ts"
import * as Outcomes from "./internal/outcomes.ts"
import * as Poller from "./internal/poller.ts"
import { idWithin, messageOf } from "./internal/ref.ts"
import { malformed, refused, utf8, verifier, type Verify } from "./internal/callback.ts"
import type { SmsGateOptions } from "./VendorOptions.ts"

export type Options = SmsGateOptions<Redacted.Redacted>

/** Makes the adapter. Dies if the signing key is empty. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { baseUrl = "https://api.sms-gate.app/3rdparty/v1", credentials, signingKey } = options
  const client = yield* HttpClient.HttpClient
  const name = options.name ?? "smsgate"
  const authorized =
    "token" in credentials
      ? HttpClientRequest.bearerToken(credentials.token)
      : HttpClientRequest.basicAuth(credentials.username, credentials.password)
  const secrets = ["token" in credentials ? credentials.token : credentials.password, signingKey]
  const lookUpBy = <A>(id: string, read: (answer: Answer) => A | undefined) =>
    lookUp(
      client,
      authorized(HttpClientRequest.get(`${baseUrl}/messages/${encodeURIComponent(id)}`)),
      read,
    )
  const report = ({ gatewayId }: Poller.PolledMessage) => lookUpBy(gatewayId, statusIn)
  const byName = Poller.lookupBy(name, report, Poller.byGatewayId)
  const lookup = (message: LookupRequest) =>
    message.taken === null
      ? Effect.map(
          lookUpBy(idWithin(maxIdLength, message), takenIn),
          (taken) => taken ?? Outcomes.unknown("The gateway knows no such message"),
        )
      : byName(message)
  const verify = signingKey && (yield* verifier(Mac.hmacSha256, signingKey))
  const ttl = inUnits(1_000, "validity", options.validity, 5_000)
  const post = authorized(HttpClientRequest.post(`${baseUrl}/messages`))
  const adapter = yield* httpVendor(options, {
    name,
    capabilities: {
      tokenMillis: millis("tokenLifetime", options.tokenLifetime) ?? 86_400_000,
      lookupByToken: true,
    },
    secrets,
    sendsTraceparent: true,
    requestOf: (message) => HttpClientRequest.bodyJsonUnsafe(post, bodyOf(options, ttl, message)),
    outcomeOf,
    documentedFailures: [queueIsFull],
    alsoTaken: [alreadyThere],
    lookup,
    callback: verify && callback(name, verify),
  })
  return verify === undefined
    ? Poller.polling(adapter, yield* Poller.make(options.poll, report), Poller.byGatewayId, lookup)
    : adapter
})

/** Provides the gateway to the engine. For reports by webhook, pass the adapter to `Callbacks`. */
export const layer = layerOf(make)

/** Environment variables that {@link layerConfig} reads. */
export const config: Config.Config<Options> = Config.all({
  credentials: Config.all({
    username: Config.NonEmptyString("SMSGATE_USERNAME"),
    password: Config.Redacted("SMSGATE_PASSWORD"),
  }),
  signingKey: optional(Config.Redacted("SMSGATE_SIGNING_KEY")),
  deviceId: optionalText("SMSGATE_DEVICE_ID"),
  simNumber: optional(Config.Int("SMSGATE_SIM_NUMBER")),
  baseUrl: optionalText("SMSGATE_BASE_URL"),
})

/** Like {@link layer}, with options from the environment. `options` override the environment. */
export const layerConfig = layerConfigOf(make, config)

/** Longest id of a message on the phone. */
const maxIdLength = 36

const bodyOf = (
  { deviceId, priority, simNumber }: Options,
  ttl: number | undefined,
  message: GatewayMessage,
): Readonly<Record<string, unknown>> => ({
  id: idWithin(maxIdLength, message),
  textMessage: { text: Redacted.value(message.text) },
  phoneNumbers: [message.phoneNumber],
  withDeliveryReport: true,
  deviceId,
  simNumber,
  ttl,
  priority,
})

const readState = decoder(
  Schema.Struct({
    id: Schema.NonEmptyString,
    state: Schema.Literals(["Pending", "Processed", "Sent", "Delivered", "Failed"]),
    recipients: Schema.optional(
      Schema.Array(Schema.Struct({ error: Schema.optional(Schema.NullOr(Schema.String)) })),
    ),
  }),
)

const keptFields = ["id", "state", "states.Processed", "states.Sent", "states.Delivered"]

const readProblem = decoder(Schema.Struct({ message: Schema.String }))

/** A failure on the phone does not prove that no part was sent. The report decides, and moves the money. */
const takenIn = ({ json, status }: Answer): GatewayOutcome | undefined => {
  const read = Outcomes.isSuccess(status) ? readState(json) : undefined
  return read && { _tag: read.state === "Delivered" ? "Delivered" : "Accepted", gatewayId: read.id }
}

const alreadyThere = 409
const queueIsFull = 503

/** Returns the cause of an invalid request. The SIM counts as the sender. */
const faultIn = (said: string): RejectionReason => {
  if (/phone ?number/i.test(said)) return "recipient"
  return /sim ?number/i.test(said) ? "sender" : "content"
}

const outcomeOf: Vendor["outcomeOf"] = (answer, message, words) => {
  const { status } = answer
  if (Outcomes.isSuccess(status)) return takenIn(answer) ?? Outcomes.unreadable(status)
  const problem = readProblem(answer.json)
  // The phone answers a wrong password without a body.
  if (status === 401) return Outcomes.rejected("account", words(problem?.message ?? "Unauthorized"))
  if (problem === undefined) return Outcomes.unreadable(status)
  const said = words(problem.message)
  switch (status) {
    case 400:
      return Outcomes.rejected(faultIn(problem.message), said)
    case 403:
      return Outcomes.rejected("account", said)
    case alreadyThere:
      return { _tag: "Accepted", gatewayId: idWithin(maxIdLength, message) }
    case queueIsFull:
      return Outcomes.throttled(said, Outcomes.retryAfterMillis(answer.headers))
    default:
      return Outcomes.unreadable(status)
  }
}

const statusIn = ({ json, status }: Answer): Poller.VendorStatus | undefined => {
  const read = Outcomes.isSuccess(status) ? readState(json) : undefined
  if (read === undefined) return undefined
  const { recipients, state } = read
  const evidence = fieldsAt(json, keptFields)
  if (state === "Delivered") return { status: "delivered", detail: state, isFinal: true, evidence }
  if (state !== "Failed") return { status: "accepted", detail: state, isFinal: false, evidence }
  const detail = recipients?.[0]?.error || state
  return { status: "failed", detail, isFinal: true, evidence }
}

/** Largest difference between the clocks of the phone and this server. */
const toleranceMillis = 300_000

const readEvent = jsonDecoder(
  Schema.Struct({ event: Schema.String, payload: Schema.optional(Schema.Unknown) }),
)

const readPayload = decoder(
  Schema.Struct({
    messageId: Schema.NonEmptyString,
    reason: Schema.optional(Schema.NullOr(Schema.String)),
  }),
)

const keptOfEvent = [
  "messageId",
  "simNumber",
  "partsCount",
  "sentAt",
  "deliveredAt",
  "failedAt",
  "cancelledAt",
]

const reported: ReadonlyMap<string, ReportStatus> = new Map([
  ["sms:sent", "accepted"],
  ["sms:delivered", "delivered"],
  ["sms:failed", "failed"],
  ["sms:cancelled", "failed"],
])

const callback = (name: string, verify: Verify): Callback =>
  Effect.fnUntraced(function* ({ body, headers, method }) {
    if (method !== "POST") return refused("Not a report")
    const signature = headers["x-signature"]
    const timestamp = headers["x-timestamp"] ?? ""
    if (signature === undefined || timestamp === "") return refused("No signature")
    const signed = new Uint8Array([...body, ...utf8(timestamp)])
    if (!(yield* verify(Hex.decode(signature), signed))) return refused("Wrong signature")
    // Checked after the signature, because an unsigned timestamp proves nothing.
    const now = yield* Clock.currentTimeMillis
    const at = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN
    if (!(Math.abs(now - at) <= toleranceMillis)) return refused("Too old, or from the future")
    const event = readEvent(new TextDecoder().decode(body))
    if (event === undefined) return malformed("No event")
    const status = reported.get(event.event)
    // Incoming messages and heartbeats are not about sent messages.
    if (status === undefined) return { _tag: "Reports", reports: [] }
    const payload = readPayload(event.payload)
    if (payload === undefined) return malformed("No message in the event")
    const { messageId, reason } = payload
    const detail = reason || event.event
    const of = messageOf(name, messageId, messageId)
    const evidence = { event: event.event, ...fieldsAt(event.payload, keptOfEvent) }
    return { _tag: "Reports", reports: [{ of, status, detail, evidence }] }
  })
