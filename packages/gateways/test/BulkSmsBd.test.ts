import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Redacted from "effect/Redacted"
import * as BulkSmsBd from "../src/BulkSmsBd.ts"
import { coded, json, refused, unknown, words } from "./fixtures/answers.ts"
import { failure, success } from "./fixtures/bulkSmsBd.ts"
import { startVendor } from "./support/vendor.ts"

const apiKey = "k3y-of-an-account"
const options = { apiKey: Redacted.make(apiKey) } as const
const taken = { _tag: "Accepted", gatewayId: "987654" } as const

GatewaySuite.suite("BulkSMSBD", {
  make: (baseUrl) => BulkSmsBd.make({ ...options, baseUrl }),
  secrets: [apiKey],
  refusal: (text) => failure(1001, text),
  accepted: { title: "a message with an id", answer: json(success), expected: taken },
  undocumented: ["throttled"],
  answers: [
    {
      title: "JSON that is called text",
      answer: words(JSON.stringify(success), "text/plain; charset=UTF-8"),
      expected: taken,
    },
    {
      title: "a code that is text",
      answer: json({ ...success, response_code: "202" }),
      expected: taken,
    },
    {
      title: "a message without an id",
      answer: json({ response_code: 202, success_message: "SMS Submitted Successfully" }),
      expected: { _tag: "Accepted", gatewayId: GatewaySuite.message().token },
    },
    ...coded([1001], failure, refused("recipient")),
    ...coded([1002, 1013, 1014, 1015], failure, refused("sender")),
    ...coded(
      [1003, 1006, 1007, 1011, 1016, 1017, 1018, 1019, 1020, 1021, 1031, 1032],
      failure,
      refused("account"),
    ),
    ...coded([1012], failure, refused("content")),
    { title: "an internal error", answer: failure(1005), expected: unknown },
    { title: "an undocumented code", answer: failure(1099), expected: unknown },
    { title: "no code", answer: json({ success_message: "Submitted" }), expected: unknown },
  ],
})

describe("BulkSmsBd", () => {
  it.effect("sends a form, and nothing in the URL", () =>
    Effect.gen(function* () {
      const vendor = yield* startVendor(() => json(success))
      const { gateway } = yield* BulkSmsBd.make({
        ...options,
        senderId: "8809612345678",
        baseUrl: vendor.baseUrl,
      })
      yield* gateway.send(GatewaySuite.message())
      const [request] = vendor.requests
      assert.strictEqual(request?.method, "POST")
      assert.strictEqual(request?.url, "/api/smsapi")
      assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(request?.body)), {
        api_key: apiKey,
        type: "text",
        number: GatewaySuite.message().phoneNumber.slice(1),
        senderid: "8809612345678",
        message: GatewaySuite.text,
      })
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )

  it.effect("uses the host's meaning of a code", () =>
    Effect.gen(function* () {
      const vendor = yield* startVendor(() => failure(1099))
      const { gateway } = yield* BulkSmsBd.make({
        ...options,
        codes: { 1099: "throttled" },
        baseUrl: vendor.baseUrl,
      })
      const outcome = yield* gateway.send(GatewaySuite.message())
      assert.strictEqual(outcome._tag, "Throttled")
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )
})
