import { MessageId } from "@countersign/core/domain/values/Ids"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Redacted from "effect/Redacted"
import * as SslWireless from "../src/SslWireless.ts"
import { json, refused, unknown } from "./fixtures/answers.ts"
import { failure, info, success } from "./fixtures/sslWireless.ts"
import { startVendor } from "./support/vendor.ts"

const apiToken = "1279-a-token-of-the-contract"
const options = { apiToken: Redacted.make(apiToken), sid: "ENGINEERING" } as const

const row = (title: string, words: string, reason: Parameters<typeof refused>[0]) => ({
  title,
  answer: failure(words),
  expected: refused(reason),
})

/** Words that leave it open whether the message was sent. */
const doubtful = (words: string) => ({
  title: `"${words}", which does not say that nothing was sent,`,
  answer: failure(words),
  expected: unknown,
})

GatewaySuite.suite("SSL Wireless", {
  make: (baseUrl) => SslWireless.make({ ...options, baseUrl }),
  secrets: [apiToken],
  refusal: failure,
  accepted: {
    title: "a message with a reference",
    answer: success(info),
    expected: { _tag: "Accepted", gatewayId: info.reference_id },
  },
  undocumented: ["throttled"],
  answers: [
    {
      title: "another number for success",
      answer: json({ status: "SUCCESS", status_code: 1000, smsinfo: [info] }),
      expected: { _tag: "Accepted", gatewayId: info.reference_id },
    },
    {
      title: "a message without a reference",
      answer: success({ ...info, reference_id: null }),
      expected: { _tag: "Accepted", gatewayId: info.csms_id },
    },
    row("a server that is not listed", "IP Blacklisted", "account"),
    row("a wrong token", "Invalid API token", "account"),
    row("an empty balance", "Insufficient balance", "account"),
    row("a brand that is not the account's", "SID not found", "sender"),
    row("a number that cannot be", "Invalid MSISDN", "recipient"),
    row("a text that is too long", "SMS body length exceeded", "content"),
    row("a refusal in words of its own", "Something else", "account"),
    row("a number on a list", "MSISDN is blacklisted", "recipient"),
    row("a number that is no longer in use", "Inactive mobile number", "recipient"),
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
    {
      title: "an id that it has seen",
      answer: failure("csms_id already exists"),
      expected: { _tag: "Accepted" },
    },
    {
      title: "a success whose message was refused",
      answer: success({ ...info, sms_status: "FAILED", status_message: "Invalid MSISDN" }),
      expected: refused("recipient"),
    },
    {
      title: "a success whose message was refused without a word",
      answer: success({ ...info, sms_status: "FAILED", status_message: null }),
      expected: unknown,
    },
    {
      title: "a success whose message was refused in words of its own",
      answer: success({ ...info, sms_status: "FAILED", status_message: "Something else" }),
      expected: unknown,
    },
    {
      title: "a success whose message is in an undocumented state",
      answer: success({ ...info, sms_status: "PENDING" }),
      expected: unknown,
    },
    { title: "a success without a message", answer: success(), expected: unknown },
    { title: "a success with two messages", answer: success(info, info), expected: unknown },
    {
      title: "an undocumented status",
      answer: json({ status: "QUEUED", smsinfo: [info] }),
      expected: unknown,
    },
    {
      title: "a success under a status that contradicts it",
      answer: { ...success(info), status: 400 },
      expected: unknown,
    },
    {
      title: "a refusal with an invalid status",
      answer: { ...failure("IP Blacklisted"), status: 403 },
      expected: refused("account"),
    },
    {
      title: "a refusal from a server that fails",
      answer: { ...failure("IP Blacklisted"), status: 500 },
      expected: unknown,
    },
  ],
})

describe("SslWireless", () => {
  it.effect("sends the documented request, with an id of 20 letters and digits", () =>
    Effect.gen(function* () {
      const vendor = yield* startVendor(() => success(info))
      const { gateway } = yield* SslWireless.make({ ...options, baseUrl: vendor.baseUrl })
      yield* gateway.send(GatewaySuite.message())
      yield* gateway.send(GatewaySuite.message())
      const token = MessageId("msg_0123456789ab0123456789abcdef0123456789abcdef")
      yield* gateway.send(GatewaySuite.message({ token }))
      const [first, second, third] = vendor.requests.map(({ body }) => JSON.parse(body))
      assert.strictEqual(vendor.requests[0]?.url, "/api/v3/send-sms")
      assert.deepStrictEqual(
        { ...first, csms_id: "" },
        {
          api_token: apiToken,
          sid: "ENGINEERING",
          msisdn: GatewaySuite.message().phoneNumber.slice(1),
          sms: GatewaySuite.text,
          csms_id: "",
        },
      )
      assert.match(first.csms_id, /^[A-Za-z0-9]{20}$/)
      assert.strictEqual(second.csms_id, first.csms_id)
      assert.strictEqual(third.csms_id, "cdef0123456789abcdef")
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )

  it.effect("uses the message's own sender by default", () =>
    Effect.gen(function* () {
      const vendor = yield* startVendor(() => success(info))
      const { gateway } = yield* SslWireless.make({
        ...options,
        sid: undefined,
        baseUrl: vendor.baseUrl,
      })
      yield* gateway.send(GatewaySuite.message({ sender: "ACME" }))
      assert.include(vendor.requests[0]?.body, `"sid":"ACME"`)
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )

  it.effect("leaves WhatsApp to other gateways", () =>
    Effect.gen(function* () {
      const vendor = yield* startVendor(() => success(info))
      const { gateway } = yield* SslWireless.make({ ...options, baseUrl: vendor.baseUrl })
      const outcome = yield* gateway.send(GatewaySuite.message({ channel: "whatsapp" }))
      assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
      assert.strictEqual(vendor.requests.length, 0)
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )

  it.effect("relies on no token by default, because the contract sets its lifetime", () =>
    Effect.gen(function* () {
      const { gateway } = yield* SslWireless.make(options)
      assert.strictEqual(gateway.capabilities.tokenMillis, 0)
      assert.strictEqual(gateway.capabilities.reports, "none")
      const sure = yield* SslWireless.make({ ...options, tokenLifetime: "1 hour", name: "ssl-2" })
      assert.strictEqual(sure.gateway.capabilities.tokenMillis, 3_600_000)
      assert.strictEqual(sure.gateway.name, "ssl-2")
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )
})
