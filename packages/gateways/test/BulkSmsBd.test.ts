import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
import * as BulkSmsBd from "../src/BulkSmsBd.ts"
import { accepted, coded, json, refused, row, unknown, words } from "./fixtures/answers.ts"
import { failure, success } from "./fixtures/bulkSmsBd.ts"
import { formOf, sent } from "./support/vendor.ts"

const apiKey = "k3y-of-an-account"
const options = { apiKey: Redacted.make(apiKey) } as const
const taken = accepted("987654")

GatewaySuite.suite("BulkSMSBD", {
  make: (baseUrl) => BulkSmsBd.make({ ...options, baseUrl }),
  secrets: [apiKey],
  refusal: (text) => failure(1001, text),
  accepted: row("a message with an id", json(success), taken),
  undocumented: ["throttled"],
  answers: [
    row(
      "JSON that is called text",
      words(JSON.stringify(success), "text/plain; charset=UTF-8"),
      taken,
    ),
    row("a code that is text", json({ ...success, response_code: "202" }), taken),
    row(
      "a message without an id",
      json({ response_code: 202, success_message: "SMS Submitted Successfully" }),
      accepted(GatewaySuite.message().token),
    ),
    ...coded([1001], failure, refused("recipient")),
    ...coded([1002, 1013, 1014, 1015], failure, refused("sender")),
    ...coded(
      [1003, 1006, 1007, 1011, 1016, 1017, 1018, 1019, 1020, 1021, 1031, 1032],
      failure,
      refused("account"),
    ),
    ...coded([1012], failure, refused("content")),
    row("an internal error", failure(1005), unknown),
    row("an undocumented code", failure(1099), unknown),
    row("no code", json({ success_message: "Submitted" }), unknown),
  ],
})

describe("BulkSmsBd", () => {
  test("sends a form, and nothing in the URL", function* () {
    const senderId = "8809612345678"
    const { request } = yield* sent(
      (baseUrl) => BulkSmsBd.make({ ...options, senderId, baseUrl }),
      json(success),
    )
    assert.strictEqual(request?.method, "POST")
    assert.strictEqual(request?.url, "/api/smsapi")
    assert.deepStrictEqual(formOf(request), {
      api_key: apiKey,
      type: "text",
      number: GatewaySuite.message().phoneNumber.slice(1),
      senderid: senderId,
      message: GatewaySuite.text,
    })
  })

  test("uses the host's meaning of a code", function* () {
    const { outcome } = yield* sent(
      (baseUrl) => BulkSmsBd.make({ ...options, codes: { 1099: "throttled" }, baseUrl }),
      failure(1099),
    )
    assert.strictEqual(outcome._tag, "Throttled")
  })
})
