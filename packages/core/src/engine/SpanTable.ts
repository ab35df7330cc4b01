/**
 * The table of the engine's spans: one row for each. The code that makes spans may only set attributes of its row, and
 * the documents follow from it. The names follow OpenTelemetry's semantic conventions, where a convention exists.
 */
import type { SpanKind } from "effect/Tracer"

/** The attributes of spans, and what they mean. No attribute has a code, a key, a text or a full phone number. */
export const attributes = {
  "countersign.organization": "The id of the organization.",
  "countersign.channel": "`sms` or `whatsapp`.",
  "countersign.number": "The masked phone number.",
  "countersign.outcome": "The outcome of the call of the gateway: `Accepted`, `Unknown` and so on.",
  "countersign.status": "The status of the message after the report.",
  "error.type":
    "The code of the error, or the outcome of a message that was not accepted. Only on failures.",
  "http.request.method": "`POST`.",
  "http.response.status_code": "The status of the answer.",
  "http.route": "The path below the base path: `/verify`.",
  "messaging.destination.name": "The name of the gateway.",
  "messaging.message.id": "The id of the message, or of the delivery of an event.",
  "messaging.operation.name": "`send` or `report`.",
  "messaging.operation.type": "`send` or `process`.",
  "messaging.system": "`countersign`.",
  "server.address": "The host of the receiver. Without its path, which may contain a secret.",
} as const

export type Attribute = keyof typeof attributes

export interface SpanRow {
  /** How spans are named. */
  readonly named: string
  readonly kind: SpanKind
  /** The work that the span covers. */
  readonly covers: string
  readonly attributes: ReadonlyArray<Attribute>
}

const row = <const R extends SpanRow>(row: R): R => row

export const spanTable = {
  request: row({
    named: "`POST /verify`",
    kind: "server",
    covers:
      "A request to a hot route of the HTTP interface on Node, and the call that it makes. Continues the `traceparent` of the request.",
    attributes: [
      "http.request.method",
      "http.route",
      "http.response.status_code",
      "countersign.organization",
      "countersign.channel",
      "countersign.number",
      "error.type",
    ],
  }),
  call: row({
    named: "`Verifications.send`",
    kind: "internal",
    covers: "A call of a service, named after it.",
    attributes: [
      "countersign.organization",
      "countersign.channel",
      "countersign.number",
      "error.type",
    ],
  }),
  gateway: row({
    named: "`send twilio`",
    kind: "client",
    covers: "A call of a gateway, until it answers or its time is over.",
    attributes: [
      "messaging.system",
      "messaging.operation.name",
      "messaging.operation.type",
      "messaging.destination.name",
      "messaging.message.id",
      "countersign.channel",
      "countersign.outcome",
      "error.type",
    ],
  }),
  report: row({
    named: "`report twilio`",
    kind: "consumer",
    covers:
      "A delivery report, from its arrival until it is applied. A link leads to the request that has brought it.",
    attributes: [
      "messaging.system",
      "messaging.operation.name",
      "messaging.operation.type",
      "messaging.destination.name",
      "countersign.organization",
      "countersign.status",
    ],
  }),
  webhook: row({
    named: "`POST webhook`",
    kind: "client",
    covers: "One attempt to deliver an event about a message to a webhook.",
    attributes: [
      "http.request.method",
      "http.response.status_code",
      "server.address",
      "messaging.message.id",
      "countersign.organization",
      "error.type",
    ],
  }),
}

export type SpanName = keyof typeof spanTable

/** The values of a span's attributes. */
export type Attributes<Name extends SpanName> = {
  readonly [A in (typeof spanTable)[Name]["attributes"][number]]?: string | number | undefined
}
