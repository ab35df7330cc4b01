import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import * as Twilio from "../src/Twilio.ts"
import { accepted, coded, refused, row, throttled, unknown } from "./fixtures/answers.ts"
import {
  accountSid,
  authToken,
  created,
  json,
  options,
  problem,
  signedRequest,
  whatsApp,
} from "./support/twilio.ts"

const words = {
  accepted: "sent",
  delivered: "delivered",
  undelivered: "undelivered",
  failed: "failed",
}

const fieldOf = ({ body }: GatewaySuite.ReceivedRequest, name: string): string =>
  new URLSearchParams(body).get(name) ?? ""

const report = ({ gatewayId, received, status }: GatewaySuite.About) => {
  const isFinal = status === "undelivered" || status === "failed"
  return signedRequest(new URL(fieldOf(received, "StatusCallback")), {
    MessageSid: gatewayId,
    SmsSid: gatewayId,
    MessageStatus: words[status],
    SmsStatus: words[status],
    AccountSid: accountSid,
    ApiVersion: "2010-04-01",
    To: fieldOf(received, "To"),
    From: fieldOf(received, "From"),
    ...(isFinal
      ? { ErrorCode: "30005", ErrorMessage: `No ${fieldOf(received, "To")}` }
      : undefined),
  })
}

const subject: GatewaySuite.Options = {
  make: (baseUrl) => Twilio.make({ ...options, baseUrl }),
  secrets: [authToken],
  refusal: (text) => problem(21610, 400, text),
  accepted: row("a message in its queue", created(), {
    _tag: "Accepted",
    gatewayId: "SM00000000000000000000000000000002",
    segments: 1,
  }),
  answers: [
    row(
      "a message whose parts are not known yet",
      created({ status: "accepted", num_segments: "0" }),
      accepted("SM00000000000000000000000000000002"),
    ),
    row(
      "a message that has failed already",
      created({ status: "failed", error_code: 30007, error_message: "Filtered" }),
      refused("content"),
    ),
    row("a failure that gives no reason", created({ status: "undelivered" }), unknown),
    ...[30003, 30008, 29999].map((code) =>
      row(
        `a message that has failed with ${code}`,
        created({ status: "failed", error_code: code }),
        unknown,
      ),
    ),
    row("a success without an id", created({ sid: "" }), unknown),
    ...coded(
      [21211, 21214, 21610, 21614, 21635, 30005, 30006, 63003, 63024],
      problem,
      refused("recipient"),
    ),
    ...coded([21212, 21408, 21606, 21608, 21612, 30034, 63007], problem, refused("sender")),
    ...coded([21617, 30007, 63013, 63016, 63049], problem, refused("content")),
    ...coded([10001, 20003, 20005, 30002], (code) => problem(code, 401), refused("account")),
    ...coded([20429, 21611, 30001, 63018], problem, throttled),
    ...coded([30003, 30008, 63012], problem, unknown),
    row("a code that is not in the table", problem(29999), refused("content")),
    row(
      "a code that is not in the table, for a lack of rights",
      problem(29999, 403),
      refused("account"),
    ),
    row(
      "a problem in the form of RFC 9457",
      {
        status: 400,
        headers: { "content-type": "application/problem+json" },
        body: JSON.stringify({
          type: "https://www.twilio.com/docs/errors/21211",
          title: "Invalid To",
          status: 400,
          code: 21211,
          detail: "It is no number",
        }),
      },
      refused("recipient"),
    ),
    row(
      "429 with a wait",
      { ...problem(20429, 429), headers: { ...json, "retry-after": "7" } },
      { _tag: "Throttled", retryAfterMillis: 7_000 },
    ),
    row("429 without a word", { status: 429, body: "" }, throttled),
    row("an error of its own", problem(20500, 500), unknown),
    row("an error of its own that names a code of the table", problem(21211, 503), unknown),
    row(
      "a refusal of a proxy",
      { status: 403, headers: { "content-type": "text/html" }, body: "<h1>Forbidden</h1>" },
      unknown,
    ),
  ],
  callbacks: {
    statuses: ["accepted", "delivered", "undelivered", "failed"],
    report: (about) => Effect.succeed(report(about)),
    signatureHeader: "x-twilio-signature",
    signsAddress: true,
    forged: [
      { title: "that was made with GET", forge: (_) => ({ ..._, method: "GET" }) },
      {
        title: "with a hash of the body in its address",
        forge: (request) => {
          const url = new URL(request.url)
          const hash = createHash("sha256").update(request.body).digest("hex")
          url.searchParams.set("bodySHA256", hash)
          return { ...request, url }
        },
      },
    ],
  },
}

GatewaySuite.suite("Twilio", subject)

GatewaySuite.suite("Twilio's WhatsApp", {
  ...subject,
  make: (baseUrl) =>
    Twilio.make({
      ...options,
      baseUrl,
      apiKey: { sid: "SK0001", secret: Redacted.make("the secret of an API key") },
      whatsApp: { verificationContent: "HX0001" },
    }),
  message: whatsApp,
  secrets: [authToken, "the secret of an API key"],
})
