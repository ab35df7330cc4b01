/**
 * The adapter to Kannel and a server that plays it. The real one is in test/gateways/kannel.
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
import type { CallbackOutcome } from "../src/Adapter.ts"
import * as Kannel from "../src/Kannel.ts"
import { refused, row, throttled, unknown } from "./fixtures/answers.ts"
import { withoutEvidence } from "./support/evidence.ts"

const secret = "kannel-callback-secret"

const optionsOf = (baseUrl: string): Kannel.Options => ({
  url: `${baseUrl}/cgi-bin/sendsms`,
  username: "countersign",
  password: Redacted.make("kannel-password"),
})

const answer = (status: number, body: string): GatewaySuite.VendorAnswer => ({
  status,
  headers: { "content-type": "text/html" },
  body,
})

const refusal = (body: string, reason: Parameters<typeof refused>[0], status = 400) =>
  row(body, answer(status, body), refused(reason))

GatewaySuite.suite("kannel", {
  make: (baseUrl) => Kannel.make(optionsOf(baseUrl)),
  secrets: ["kannel-password"],
  documentedFailures: [503],
  accepted: row("a message for delivery", answer(202, "0: Accepted for delivery"), {
    _tag: "Accepted",
    gatewayId: GatewaySuite.message().token,
    segments: 1,
  }),
  refusal: (words) => answer(403, `Authorization failed for sendsms ${words}`),
  answers: [
    row("a message for later", answer(202, "3: Queued for later delivery"), {
      _tag: "Accepted",
      segments: 1,
    }),
    row("an answer before the message was read", answer(202, "Sent."), unknown),
    row("a failure for a while", answer(503, "Temporal failure, try again later."), throttled),
    refusal("Authorization failed for sendsms", "account", 403),
    refusal("Not routable. Do not try again.", "account", 403),
    refusal("Empty receiver number not allowed, rejected", "recipient"),
    refusal("Missing receiver(s) number(s), rejected", "recipient"),
    refusal("Number(s) has/have been denied by white- and/or black-lists.", "recipient"),
    refusal("Sender missing and no global set, rejected", "sender"),
    refusal("Charset or body misformed, rejected", "content"),
    refusal("DLR-URL field misformed, rejected", "account"),
    refusal("Account field misformed or too long, rejected", "account"),
    refusal("Invalid content-type", "account"),
    row("a refusal with an undocumented text", answer(400, "Something else, rejected"), unknown),
    row(
      "words of a refusal with the status of success",
      answer(200, "Authorization failed for sendsms"),
      unknown,
    ),
  ],
})

/** An adapter with reports, and its request to Kannel for a message. */
const requestOf = (change: Parameters<typeof GatewaySuite.message>[0] = {}) =>
  Effect.gen(function* () {
    const vendor = yield* GatewaySuite.startVendor()
    vendor.conduct({ _tag: "Answer", ...answer(202, "0: Accepted for delivery") })
    const { callback, gateway } = yield* Kannel.make({
      ...optionsOf(vendor.baseUrl),
      smsc: "centre",
      account: "acme",
      validity: "5 minutes",
      callbackUrl: "https://sms.example.com/a%20b/callbacks/kannel/",
      callbackSecret: Redacted.make(secret),
    })
    yield* gateway.send(GatewaySuite.message(change))
    const { body, headers, method, url } = yield* vendor.nextRequest
    const template = headers["x-kannel-dlr-url"] ?? ""
    /** The request that Kannel makes, with its percent placeholders filled in. */
    const report = (type: string, said = "", method = "GET"): Effect.Effect<CallbackOutcome> =>
      callback === undefined
        ? Effect.die("no callback")
        : callback({
            method,
            url: new URL(
              template.replaceAll(/%([%dA])/g, (_, escape: string) =>
                escape === "%" ? "%" : encodeURIComponent(escape === "d" ? type : said),
              ),
            ),
            headers: {},
            body: new Uint8Array(),
          })
    return { body, callback, headers, method, report, template, url }
  })

describe("the request to Kannel", () => {
  test("has the text in its body, the rest in headers, and nothing in its URL", function* () {
    const { body, headers, method, template, url } = yield* requestOf({
      purpose: "message",
      text: Redacted.make("Hello €"),
    })
    assert.deepStrictEqual([method, url, body], ["POST", "/cgi-bin/sendsms", "Hello €"])
    assert.deepInclude(headers, {
      "content-type": "text/plain; charset=UTF-8",
      "x-kannel-username": "countersign",
      "x-kannel-password": "kannel-password",
      "x-kannel-coding": "0",
      "x-kannel-smsc": "centre",
      "x-kannel-account": "acme",
      "x-kannel-validity": "5",
      "x-kannel-dlr-mask": "31",
    })
    assert.match(
      template,
      /^https:\/\/sms\.example\.com\/a%%20b\/callbacks\/kannel\/[\w-]+\.1\.\w{12}\/[\w-]{43}\?type=%d&answer=%A$/,
    )
  })

  test("uses UCS-2 for text beyond GSM-7, and hides the centre's answer to a code", function* () {
    const { headers, template } = yield* requestOf({ text: Redacted.make("কোড 482913") })
    assert.strictEqual(headers["x-kannel-coding"], "2")
    assert.isTrue(template.endsWith("?type=%d"))
  })

  test.each<readonly [string, Partial<Kannel.Options>]>([
    ["a username with a line break", { username: "a\r\nX-Kannel-SMSC: other" }],
    ["an invalid address", { url: "kannel" }],
    [
      "an empty secret",
      { callbackUrl: "https://sms.example.com/", callbackSecret: Redacted.make("") },
    ],
    ["a secret without an address for reports", { callbackSecret: Redacted.make(secret) }],
    ["an address for reports without a secret", { callbackUrl: "https://sms.example.com/" }],
  ])("is not possible with %s", function* ([_, options]) {
    const exit = yield* Effect.exit(Kannel.make({ ...optionsOf("http://127.0.0.1"), ...options }))
    assert.isTrue(Exit.hasDies(exit))
  })
})

type Reported = readonly [
  status: DeliveryReport["status"],
  detail: string | null,
  vendorCode?: string,
  reason?: DeliveryReport["reason"],
]

describe("a report", () => {
  test.each<readonly [string, string, Reported | undefined]>([
    ["1", "id:7 sub:001 stat:DELIVRD err:000 text:482913", ["delivered", "DELIVRD"]],
    ["2", "id:7 stat:UNDELIV err:011 text:482913 stat:X", ["undelivered", "UNDELIV, error 011"]],
    ["2", "", ["undelivered", null]],
    ["4", "id:7 stat:ENROUTE text:x", ["accepted", "ENROUTE"]],
    ["8", "ACK/", ["accepted", null]],
    [
      "16",
      "NACK/0x0000000b/Invalid Destination Address",
      ["rejected", "0x0000000b Invalid Destination Address", "0x0000000b", "recipient"],
    ],
    ["16", "NACK/0xA", ["rejected", "0xA", "0x0000000a", "sender"]],
    [
      "16",
      "NACK/0x00000401/Vendor-specific error",
      ["rejected", "0x00000401 Vendor-specific error", "0x00000401"],
    ],
    ["16", "NACK/+8801712345678", ["rejected", null]],
    ["34", "", ["undelivered", null]],
    ["66", "", ["accepted", null]],
    ["0", "", undefined],
  ])("of type %s with %s is read correctly", function* ([type, said, expected]) {
    const { report } = yield* requestOf({ purpose: "message" })
    const outcome = yield* report(type, said)
    const { ref, token } = GatewaySuite.message()
    const of = { _tag: "Message" as const, ...ref, token: token.slice(-12) }
    const reportOf = ([status, detail, vendorCode, reason]: Reported) => ({
      of,
      status,
      detail,
      ...(vendorCode === undefined ? undefined : { vendorCode }),
      ...(reason === undefined ? undefined : { reason }),
    })
    const reports = expected === undefined ? [] : [reportOf(expected)]
    assert.deepStrictEqual(withoutEvidence(outcome), { _tag: "Reports", reports })
  })

  test("has a code that the adapter explains", function* () {
    const { gateway } = yield* Kannel.make(optionsOf("http://127.0.0.1")).pipe(
      Effect.provide(GatewaySuite.platform),
    )
    assert.strictEqual(gateway.meaningOf?.("kannel", "0x0000000b"), "The recipient is invalid")
    assert.isUndefined(gateway.meaningOf?.("kannel", "0x00000401"))
  })

  test("is the same when repeated", function* () {
    const { report } = yield* requestOf()
    assert.deepStrictEqual(yield* report("1"), yield* report("1"))
  })

  test("is malformed if unknown, and refused if sent by POST", function* () {
    const { report } = yield* requestOf()
    for (const type of ["", "x", "-1", "1e1", "1000"]) {
      assert.strictEqual((yield* report(type))._tag, "Malformed", type)
    }
    assert.strictEqual((yield* report("1", "", "POST"))._tag, "Refused")
  })

  test("with another signature, or none, is refused", function* () {
    const { callback, template } = yield* requestOf()
    const other = yield* requestOf({ ref: { ...GatewaySuite.message().ref, sequence: 2 } })
    const right = new URL(template.replaceAll("%%", "%").replace("%d", "1"))
    const foreign = new URL(other.template.replaceAll("%%", "%").replace("%d", "1"))
    const [ref = "", tag = ""] = right.pathname.split("/").slice(-2)
    const wrong = [
      right.href.replace(tag, foreign.pathname.split("/").at(-1) ?? ""),
      right.href.replace(ref, `${ref}1`),
      right.href.replace(`/${tag}`, ""),
      right.href.replace(tag, tag.slice(0, -1)),
      right.href.replace(tag, ""),
      right.href.replace(`${ref}/${tag}`, ""),
      `${right.origin}/`,
    ]
    for (const href of wrong) {
      const request = { method: "GET", url: new URL(href), headers: {}, body: new Uint8Array() }
      const outcome = callback === undefined ? undefined : yield* callback(request)
      assert.deepStrictEqual(outcome, { _tag: "Refused", reason: "Wrong signature" }, href)
    }
  })
})
