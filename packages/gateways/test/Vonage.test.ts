import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Samples from "@countersign/testing/Samples"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createSign } from "node:crypto"
import * as Vonage from "../src/Vonage.ts"
import { accepted, coded, refused, row, throttled, unknown } from "./fixtures/answers.ts"
import {
  callbackUrl,
  options,
  part,
  pem,
  pemLine,
  privateKey,
  problem,
  signatureSecret,
  signedRequest,
  taken,
  type Token,
  uuid,
} from "./support/vonage.ts"

const words = {
  accepted: "submitted",
  delivered: "delivered",
  undelivered: "undeliverable",
  failed: "failed",
}

const bodyOf = ({ gatewayId, received, status }: GatewaySuite.About): string => {
  const [, ref] = /"client_ref":"([^"]+)"/.exec(received.body) ?? []
  return JSON.stringify({
    message_uuid: gatewayId,
    to: "8801712345678",
    from: "8809600000000",
    timestamp: "2026-01-01T00:00:00Z",
    channel: "sms",
    status: words[status],
    client_ref: ref,
    ...(status === "undelivered"
      ? { error: { type: "#1190", title: "1190", detail: "Absent: +880 1712-345678" } }
      : undefined),
  })
}

const forged = (title: string, token: Token, body?: string) => ({
  title,
  forge: (request: GatewaySuite.CallbackRequest) =>
    Effect.map(Clock.currentTimeMillis, (now) => ({
      ...signedRequest(body ?? Buffer.from(request.body).toString(), now, token),
    })),
})

const seconds = Samples.now / 1_000

const subject: GatewaySuite.Options = {
  make: (baseUrl) => Vonage.make({ ...options, baseUrl }),
  secrets: [signatureSecret, pem, pemLine],
  refusal: (detail) => problem(1120, 422, detail),
  accepted: row("a message with an id", taken(), accepted(uuid)),
  answers: [
    row(
      "a message with more than an id",
      taken({ workflow_id: "3TcNjguHxr2vcCZ9Ddsnq6tw8yQUpZ9rMHv9QXSxLan5ibMxqSzLdx9" }),
      accepted(uuid),
    ),
    row("a success without an id", taken({ message_uuid: "" }), unknown),
    ...coded([1050, 1170, 1190, 1240, 1260], (code) => problem(code, 422), refused("recipient")),
    ...coded(
      [1010, 1020, 1021, 1022, 1040, 1090, 1130, 1340, 1370, 1430],
      (code) => problem(code, 422),
      refused("content"),
    ),
    ...coded([1120, 1420], (code) => problem(code, 422), refused("sender")),
    ...coded([1060, 1070, 1080, 1160], (code) => problem(code, 422), refused("account")),
    row("error 1000", problem(1000, 422), throttled),
    ...coded([1030, 1100, 1180, 1330], (code) => problem(code, 422), unknown),
    row("a code in the place of a title", problem("1120", 422), refused("sender")),
    ...[401, 402, 403].map((status) =>
      row(
        `a problem with the account, ${status}`,
        problem("Unauthorized", status),
        refused("account"),
      ),
    ),
    ...[400, 404, 422].map((status) =>
      row(`a code that is not in the table, with ${status},`, problem(1999, status), unknown),
    ),
    ...[400, 404].map((status) => row(`a bare ${status}`, problem("Not found", status), unknown)),
    row(
      "a code that is not in the table, for a lack of rights",
      problem(1999, 403),
      refused("account"),
    ),
    row("a request that it cannot read", problem("Invalid params", 422), refused("content")),
    row(
      "429 with a wait",
      { ...problem("Rate Limit Hit", 429), headers: { "retry-after": "2" } },
      { _tag: "Throttled", retryAfterMillis: 2_000 },
    ),
    row("429 without a word", { status: 429, body: "" }, throttled),
    row("an error of its own", problem("Internal error", 500), unknown),
    row("an error of its own that names a code of the table", problem(1120, 500), unknown),
    row("an undocumented status", problem("Strange", 418), unknown),
  ],
  callbacks: {
    statuses: ["accepted", "delivered", "undelivered"],
    report: (about) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        signedRequest(bodyOf(about), now, { claims: { jti: `jti-${about.sequence}` } }),
      ),
    signatureHeader: "authorization",
    signsAddress: false,
    forged: [
      { title: "that was made with GET", forge: (_) => ({ ..._, method: "GET" }) },
      forged("under another secret", { secret: "another secret" }),
      forged("that says it needs no signature", { header: { alg: "none" } }),
      forged("under an algorithm that it is not", { header: { alg: "RS256" } }),
      forged("under a longer hash", { header: { alg: "HS512" } }),
      forged("over another body", { claims: { payload_hash: "00".repeat(32) } }),
      forged("over no body", { claims: { payload_hash: undefined } }),
      forged("without a name", { claims: { jti: undefined } }),
      forged("with an endless name", { claims: { jti: "j".repeat(1_000) } }),
      forged("without a time", { claims: { iat: undefined } }),
      forged("from long ago", { claims: { iat: seconds - 301 } }),
      forged("from the future", { claims: { iat: seconds + 301 } }),
      {
        title: "without the last part of its token",
        forge: (request) => {
          const token = request.headers["authorization"] ?? ""
          return { ...request, headers: { authorization: token.split(".").slice(0, 2).join(".") } }
        },
      },
      {
        title: "that is signed with the public key of the application",
        forge: (request) => {
          const signed = (request.headers["authorization"] ?? "").slice("Bearer ".length)
          const [, claims] = signed.split(".")
          const both = `${part({ alg: "RS256", typ: "JWT" })}.${claims}`
          const tag = createSign("RSA-SHA256").update(both).sign(privateKey, "base64url")
          return { ...request, headers: { authorization: `Bearer ${both}.${tag}` } }
        },
      },
    ],
  },
}

GatewaySuite.suite("Vonage", subject)

GatewaySuite.suite("Vonage's WhatsApp, by the account's key", {
  ...subject,
  make: (baseUrl) =>
    Vonage.make({
      ...options,
      auth: { apiKey: "a1b2c3d4", apiSecret: Redacted.make("an API secret") },
      whatsApp: { template: { name: "otp_code" } },
      callbackUrl,
      baseUrl,
    }),
  message: { channel: "whatsapp", sender: "8801700000000" },
  secrets: [signatureSecret, "an API secret"],
})
