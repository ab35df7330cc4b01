import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import type { RejectionReason, ReportStatus } from "@countersign/core/domain/GatewayOutcome"
import * as Clock from "effect/Clock"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Callback } from "../../Adapter.ts"
import { malformed, refused } from "../adapter.ts"
import { fieldsAt } from "../evidence.ts"
import { claimsOf } from "./jwt.ts"
import { messageOf } from "../ref.ts"
import { sameText, type Verify } from "../signing.ts"
import { reportWords } from "../vendorWords.ts"
import { codeOf } from "./codes.ts"

/** Largest difference between the signature's time and ours, in either direction. */
const toleranceSeconds = 300

const readClaims = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      iat: Schema.Number,
      jti: Schema.NonEmptyString.check(Schema.isMaxLength(128)),
      payload_hash: Schema.String,
    }),
  ),
)

const StatusReport = Schema.Struct({
  message_uuid: Schema.NonEmptyString,
  status: Schema.optional(Schema.String),
  to: Schema.optional(Schema.Unknown),
  client_ref: Schema.optional(Schema.NullOr(Schema.String)),
  timestamp: Schema.optional(Schema.Unknown),
  channel: Schema.optional(Schema.Unknown),
  usage: Schema.optional(Schema.Unknown),
  sms: Schema.optional(Schema.Unknown),
  destination: Schema.optional(Schema.Unknown),
  error: Schema.optional(
    Schema.NullOr(
      Schema.Struct({
        title: Schema.optional(Schema.Union([Schema.String, Schema.Number])),
        type: Schema.optional(Schema.String),
        detail: Schema.optional(Schema.String),
      }),
    ),
  ),
})
const readStatusReport = Schema.decodeUnknownOption(Schema.fromJsonString(StatusReport))

const statuses: ReadonlyMap<string, ReportStatus> = new Map([
  ["submitted", "accepted"],
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["rejected", "rejected"],
  ["undeliverable", "undelivered"],
])

/** Dependencies of the reader. */
export interface Reader {
  /** Name of the gateway. */
  readonly name: string
  readonly verify: Verify
  readonly digest: Digest.Digest["Service"]
  readonly reasonOf: (code: number) => RejectionReason | undefined
}

/**
 * Reads reports whose `Authorization` header is a token over the body's hash. The token's unique id and time
 * protect against repeated and late reports.
 */
export const reportReader =
  ({ digest, name, reasonOf, verify }: Reader): Callback =>
  ({ body, headers, method }) =>
    Effect.gen(function* () {
      if (method !== "POST") return refused("Not a report")
      const [, token] = /^bearer (\S+)$/i.exec(headers["authorization"] ?? "") ?? []
      if (token === undefined) return refused("No signature")
      const signed = yield* claimsOf(token, verify)
      if (signed === undefined) return refused("Wrong signature")
      const claims = Option.getOrUndefined(readClaims(signed))
      if (claims === undefined) return refused("A token that is about no body")
      const actual = Hex.encode(yield* Effect.orDie(digest.digest(Digest.sha256, body)))
      if (!sameText(claims.payload_hash.toLowerCase(), actual)) return refused("Wrong body")
      const now = (yield* Clock.currentTimeMillis) / 1_000
      if (!(Math.abs(now - claims.iat) <= toleranceSeconds)) return refused("Too old or too new")
      const told = Option.getOrUndefined(readStatusReport(new TextDecoder().decode(body)))
      if (told === undefined) return malformed("A signed body that is no report")
      return { _tag: "Reports", reports: reportsOf(name, reasonOf, told), once: claims.jti }
    })

const keptFields = [
  "message_uuid",
  "status",
  "timestamp",
  "channel",
  "error.title",
  "usage.price",
  "usage.currency",
  "sms.num_messages",
  "sms.count_total",
  "destination.network_code",
]

const reportsOf = (
  name: string,
  reasonOf: (code: number) => RejectionReason | undefined,
  told: typeof StatusReport.Type,
): ReadonlyArray<DeliveryReport> => {
  const { client_ref, error, message_uuid, status: word, to } = told
  const status = statuses.get(word ?? "")
  // Incoming messages and unknown statuses are not about sent messages.
  if (status === undefined) return []
  const title = String(error?.title ?? "")
  const code = codeOf(title, error?.type)
  const reason = code === undefined ? undefined : reasonOf(code)
  const detail = [title, error?.detail ?? ""].filter((part) => part !== "").join(": ")
  return [
    {
      of: messageOf(name, message_uuid, client_ref),
      status,
      detail: detail === "" ? null : reportWords(detail, typeof to === "string" ? to : undefined),
      evidence: fieldsAt(told, keptFields),
      ...(reason === undefined ? undefined : { reason }),
    },
  ]
}
