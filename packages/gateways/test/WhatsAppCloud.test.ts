import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import * as WhatsAppCloud from "../src/WhatsAppCloud.ts"
import { accepted, coded, refused, row, throttled, unknown } from "./fixtures/answers.ts"
import {
  accessToken,
  appSecret,
  message,
  notification,
  options,
  problem,
  signed,
  taken,
  verifyToken,
  wamid,
} from "./support/whatsAppCloud.ts"

const words = { accepted: "sent", delivered: "delivered", undelivered: "failed", failed: "failed" }

const report = ({ gatewayId, received, sequence, status }: GatewaySuite.About) => {
  const [, ref] = /"biz_opaque_callback_data":"([^"]+)"/.exec(received.body) ?? []
  return signed(
    notification({
      id: gatewayId,
      status: words[status],
      timestamp: String(1_767_225_600 + sequence),
      recipient_id: "8801712345678",
      biz_opaque_callback_data: ref,
      ...(status === "failed"
        ? { errors: [{ code: 131_053, title: "Media upload error for 8801712345678" }] }
        : undefined),
    }),
  )
}

GatewaySuite.suite("WhatsApp Cloud", {
  make: (baseUrl) => WhatsAppCloud.make({ ...options, baseUrl }),
  message,
  secrets: [accessToken, appSecret, verifyToken],
  refusal: (details) => problem(131_047, { details }),
  accepted: row("a message with an id", taken(), accepted(wamid)),
  undocumented: ["sender"],
  answers: [
    row(
      "a message that is looked at first",
      taken({ message_status: "held_for_quality_assessment" }),
      accepted(wamid),
    ),
    row("a success without an id", taken({ id: "" }), unknown),
    ...coded(
      [0, 3, 10, 33, 190, 200, 299, 368, 131_031, 131_042],
      (code) => problem(code, { status: 401 }),
      refused("account"),
    ),
    ...coded([130_472, 131_021, 131_026, 131_030, 131_049], problem, refused("recipient")),
    ...coded(
      [
        100, 131_008, 131_009, 131_047, 131_051, 132_000, 132_001, 132_005, 132_007, 132_012,
        132_015, 132_016,
      ],
      problem,
      refused("content"),
    ),
    ...coded([4, 80_007, 130_429, 131_048, 133_016], problem, throttled),
    row("too many messages to one recipient", problem(131_056), {
      _tag: "Throttled",
      retryAfterMillis: 6_000,
    }),
    ...coded([1, 2, 131_000, 131_016], (code) => problem(code, { status: 500 }), unknown),
    row("a phone number that has gone", problem(100, { subcode: 33 }), refused("account")),
    row(
      "a refusal under the status of success",
      problem(131_026, { status: 200 }),
      refused("recipient"),
    ),
    row("a code that is not in the table", problem(199_999), unknown),
    row(
      "a code that is not in the table, for a lack of rights",
      problem(199_999, { status: 403 }),
      unknown,
    ),
    row(
      "a code that is not in the table, from a server in trouble",
      problem(199_999, { status: 500 }),
      unknown,
    ),
    row("429 under a code that is not in the table", problem(199_999, { status: 429 }), throttled),
  ],
  callbacks: {
    // A refusal that comes late is tested below.
    statuses: ["accepted", "delivered", "failed"],
    report: (about) => Effect.succeed(report(about)),
    signatureHeader: "x-hub-signature-256",
    signsAddress: false,
    forged: [
      { title: "that was made with PUT", forge: (_) => ({ ..._, method: "PUT" }) },
      {
        title: "under SHA-1",
        forge: (request) => {
          const tag = createHmac("sha1", appSecret).update(request.body).digest("hex")
          return {
            ...request,
            headers: { ...request.headers, "x-hub-signature-256": `sha1=${tag}` },
          }
        },
      },
      {
        title: "under the access token",
        forge: (request) => {
          const tag = createHmac("sha256", accessToken).update(request.body).digest("hex")
          return {
            ...request,
            headers: { ...request.headers, "x-hub-signature-256": `sha256=${tag}` },
          }
        },
      },
    ],
  },
})
