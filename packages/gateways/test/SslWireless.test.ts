import { MessageId } from "@countersign/core/domain/values/Ids"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
import * as SslWireless from "../src/SslWireless.ts"
import { accepted, json, refused, row, throttled, unknown } from "./fixtures/answers.ts"
import { failure, info, success } from "./fixtures/sslWireless.ts"
import { jsonOf, sent } from "./support/vendor.ts"

const apiToken = "1279-a-token-of-the-contract"
const options = { apiToken: Redacted.make(apiToken), sid: "ENGINEERING" } as const

const refusal = (title: string, words: string, reason: Parameters<typeof refused>[0]) =>
  row(title, failure(words), refused(reason))

/** Words that leave it open whether the message was sent. */
const doubtful = (words: string) =>
  row(`"${words}", which does not say that nothing was sent,`, failure(words), unknown)

const make = (baseUrl: string) => SslWireless.make({ ...options, baseUrl })

GatewaySuite.suite("SSL Wireless", {
  make,
  secrets: [apiToken],
  refusal: failure,
  accepted: row("a message with a reference", success(info), accepted(info.reference_id)),
  answers: [
    row(
      "another number for success",
      json({ status: "SUCCESS", status_code: 1000, smsinfo: [info] }),
      accepted(info.reference_id),
    ),
    row(
      "a message without a reference",
      success({ ...info, reference_id: null }),
      accepted(info.csms_id),
    ),
    refusal("a server that is not listed", "IP Blacklisted", "account"),
    refusal("a wrong token", "Invalid API token", "account"),
    refusal("an empty balance", "Insufficient balance", "account"),
    refusal("a brand that is not the account's", "SID not found", "sender"),
    refusal("a number that cannot be", "Invalid MSISDN", "recipient"),
    refusal("a text that is too long", "SMS body length exceeded", "content"),
    refusal("a refusal in words of its own", "Something else", "account"),
    refusal("a number on a list", "MSISDN is blacklisted", "recipient"),
    refusal("a number that is no longer in use", "Inactive mobile number", "recipient"),
    ...[
      "Gateway timeout",
      "Request time out, auth server",
      "Internal Server Error",
      "Please try again later",
      "Server error: sender queue",
      "Duplicate SMS",
      "Message already submitted for this MSISDN",
      "The id has to be unique",
    ].map(doubtful),
    row("too many requests", failure("Too many requests, try again later", 4029), throttled),
    row("too many messages in a second", failure("TPS Exceeded", 4031), throttled),
    row("an error without a cause", failure("Unknown Error", 5000), unknown),
    row("an invalid message", failure("Invalid message data", 4028), refused("content")),
    row("an id that it has seen", failure("csms_id already exists"), { _tag: "Accepted" }),
    row(
      "a success whose message was refused",
      success({ ...info, sms_status: "FAILED", status_message: "Invalid MSISDN" }),
      refused("recipient"),
    ),
    row(
      "a success whose message was refused without a word",
      success({ ...info, sms_status: "FAILED", status_message: null }),
      unknown,
    ),
    row(
      "a success whose message was refused in words of its own",
      success({ ...info, sms_status: "FAILED", status_message: "Something else" }),
      unknown,
    ),
    row(
      "a success whose message is in an undocumented state",
      success({ ...info, sms_status: "PENDING" }),
      unknown,
    ),
    row("a success without a message", success(), unknown),
    row("a success with two messages", success(info, info), unknown),
    row("an undocumented status", json({ status: "QUEUED", smsinfo: [info] }), unknown),
    row("a success under a status that contradicts it", { ...success(info), status: 400 }, unknown),
    row(
      "a refusal with an invalid status",
      { ...failure("IP Blacklisted"), status: 403 },
      refused("account"),
    ),
    row(
      "a refusal from a server that fails",
      { ...failure("IP Blacklisted"), status: 500 },
      unknown,
    ),
  ],
})

describe("SslWireless", () => {
  test("sends the documented request, with the end of the token as its id", function* () {
    const { request } = yield* sent(make, success(info), {
      token: MessageId("msg_0123456789ab0123456789abcdef0123456789abcdef"),
    })
    assert.strictEqual(request?.url, "/api/v3/send-sms")
    assert.deepStrictEqual(jsonOf(request), {
      api_token: apiToken,
      sid: "ENGINEERING",
      msisdn: GatewaySuite.message().phoneNumber.slice(1),
      sms: GatewaySuite.text,
      csms_id: "cdef0123456789abcdef",
    })
  })

  test("uses the message's own sender by default", function* () {
    const own = { ...options, sid: undefined }
    const { request } = yield* sent(
      (baseUrl) => SslWireless.make({ ...own, baseUrl }),
      success(info),
      { sender: "ACME" },
    )
    assert.include(request?.body, `"sid":"ACME"`)
  })

  test.each([
    [4001, "The API token is wrong"],
    [4026, "The number is blocked"],
    [4999, undefined],
    ["constructor", undefined],
  ] as const)("explains the code %s", function* ([status_code, expected]) {
    const answer = json({ status: "FAILED", status_code, error_message: "refused" })
    const { meaning, outcome } = yield* sent(make, answer)
    assert.deepInclude(outcome, { vendorCode: String(status_code) })
    assert.strictEqual(meaning, expected)
  })

  test("leaves WhatsApp to other gateways", function* () {
    const { outcome, request } = yield* sent(make, success(info), { channel: "whatsapp" })
    assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
    assert.isUndefined(request)
  })
})
